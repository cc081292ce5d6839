//! Strongly connected components.

/// The strongly connected components of a graph of `nodes` nodes whose edges
/// `next` yields, each component after all that it leads to. Nodes that `next`
/// yields beyond `nodes` are ignored. Tarjan's algorithm, without recursion:
/// the depth of a graph is the user's choice, the depth of our stack is not.
pub fn components(nodes: usize, next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        next,
        index: vec![None; nodes],
        low: vec![0; nodes],
        on_stack: vec![false; nodes],
        stack: Vec::new(),
        counter: 0,
        found: Vec::new(),
    };
    for node in 0..nodes {
        if search.index.get(node).copied().flatten().is_none() {
            search.from(node);
        }
    }
    search.found
}

struct Search<'a> {
    next: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    counter: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        // (node, how many of its edges were followed)
        let mut path = vec![(root, 0)];
        self.open(root);
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            let Some(to) = self.next.get(node).and_then(|e| e.get(*followed)).copied() else {
                path.pop();
                if let Some((parent, _)) = path.last() {
                    self.lower(*parent, self.low.get(node).copied());
                }
                self.close(node);
                continue;
            };
            *followed += 1;
            match self.index.get(to).copied() {
                None => {}
                Some(None) => {
                    self.open(to);
                    path.push((to, 0));
                }
                Some(Some(index)) if self.on_stack.get(to) == Some(&true) => {
                    self.lower(node, Some(index));
                }
                Some(Some(_)) => {}
            }
        }
    }

    fn open(&mut self, node: usize) {
        if let (Some(index), Some(low), Some(on)) = (
            self.index.get_mut(node),
            self.low.get_mut(node),
            self.on_stack.get_mut(node),
        ) {
            *index = Some(self.counter);
            *low = self.counter;
            *on = true;
        }
        self.counter += 1;
        self.stack.push(node);
    }

    fn lower(&mut self, node: usize, to: Option<usize>) {
        if let (Some(low), Some(to)) = (self.low.get_mut(node), to) {
            *low = (*low).min(to);
        }
    }

    fn close(&mut self, node: usize) {
        if self.low.get(node).copied() != self.index.get(node).copied().flatten() {
            return;
        }
        let mut component = Vec::new();
        while let Some(top) = self.stack.pop() {
            if let Some(on) = self.on_stack.get_mut(top) {
                *on = false;
            }
            component.push(top);
            if top == node {
                break;
            }
        }
        component.sort_unstable();
        self.found.push(component);
    }
}
