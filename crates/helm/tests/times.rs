//! Methods of times, as Helm 4.2.1 answers them.

use helm::chart::File;
use helm::{Capabilities, Data, Options, Package, Release, Request};

const TIMES: &str = r#"{{- $t := toDate "2006-01-02 15:04:05" "2020-03-04 05:06:07" }}
{{- $u := toDate "2006-01-02T15:04:05Z07:00" "2020-02-29T23:59:58.5Z" }}
{{- $f := toDate "2006-01-02T15:04:05Z07:00" "2021-12-31T01:02:03+02:00" }}
"#;

/// What an expression gives, and what Helm gives for it.
const ASKED: &[(&str, &str)] = &[
    (
        "{{ $t.Year }} {{ $t.Month }} {{ $t.Day }} {{ $t.Weekday }} {{ $t.YearDay }} {{ $t.Hour }} {{ $t.Minute }} {{ $t.Second }}",
        "2020 March 4 Wednesday 64 5 6 7",
    ),
    (
        "{{ $u.Nanosecond }} {{ $t.Unix }} {{ $u.UnixMilli }} {{ $u.UnixMicro }} {{ $u.UnixNano }}",
        "500000000 1583298367 1583020798500 1583020798500000 1583020798500000000",
    ),
    (
        r#"{{ $t.Format "Jan 2" }} | {{ $f.UTC }} | {{ $f.Local }} | {{ $t.IsZero }} {{ (toDate "x" "y").IsZero }} | {{ $f.String }}"#,
        "Mar 4 | 2021-12-30 23:02:03 +0000 UTC | 2021-12-30 23:02:03 +0000 UTC | false true | 2021-12-31 01:02:03 +0200 +0200",
    ),
    (
        r#"{{ printf "%02d %v %s %T %#v %q %x" $t.Month $t.Month $t.Month $t.Month $t.Month $t.Month $t.Month }}"#,
        r#"03 March March time.Month 3 "March" 4d61726368"#,
    ),
    (
        "{{ kindOf $t.Month }} {{ typeOf $t.Weekday }} {{ int $t.Month }} {{ $t.Month | toJson }} {{ toString $t.Weekday }} {{ eq $t.Month 3 }} {{ $t.Month.String }}",
        "int time.Weekday 3 3 Wednesday true March",
    ),
    (
        r#"{{ printf "%#v" $t }} {{ printf "%#v" $u }} {{ printf "%#v" $f }}"#,
        r#"time.Date(2020, time.March, 4, 5, 6, 7, 0, time.Local) time.Date(2020, time.February, 29, 23, 59, 58, 500000000, time.UTC) time.Date(2021, time.December, 31, 1, 2, 3, 0, time.Location(""))"#,
    ),
    (
        "{{ $t.Add 1500000000 }} | {{ $t.AddDate 0 11 30 }} | {{ $u.AddDate 1 0 0 }} | {{ $f.AddDate -1 -14 -40 }}",
        "2020-03-04 05:06:08.5 +0000 UTC | 2021-03-06 05:06:07 +0000 UTC | 2021-03-01 23:59:58.5 +0000 UTC | 2019-09-21 01:02:03 +0200 +0200",
    ),
    (
        "{{ $f.Sub $t }} {{ kindOf ($f.Sub $t) }} {{ typeOf ($f.Sub $t) }} {{ ($f.Sub $t).Hours }} {{ ($t.Sub $f).Minutes }} {{ ($t.Sub $f).Seconds }}",
        "16001h55m56s int64 time.Duration 16001.932222222222 -960115.9333333333 -5.7606956e+07",
    ),
    (
        r#"{{ ($t.Sub $f).Abs }} {{ ($t.Sub $f).Milliseconds }} {{ $f.Sub $t | toJson }} {{ printf "%d %v" ($f.Sub $t) ($f.Sub $t) }}"#,
        "16001h55m56s -57606956000 57606956000000000 57606956000000000 16001h55m56s",
    ),
    (
        "{{ $f.After $t }} {{ $f.Before $t }} {{ $f.Equal $f.UTC }} {{ $t.Compare $f }} {{ eq $f $f }}",
        "true false true -1 true",
    ),
    (
        "{{ range $i := $t.Month }}{{ $i }} {{ end }}",
        "%!Month(0) January February ",
    ),
];

#[test]
fn times_have_gos_methods() {
    for (expression, expected) in ASKED {
        let template = format!("{TIMES}{expression}");
        let files = [
            ("Chart.yaml", "apiVersion: v2\nname: t\nversion: 1.0.0\n"),
            ("templates/a.yaml", &template),
        ];
        let files = files.map(|(name, text)| File {
            name: name.to_owned(),
            data: text.as_bytes().to_vec(),
        });
        let package = Package::new(helm::load::files(files.into()).unwrap());
        let texts = package.texts(&Request {
            values: &Data::map(),
            release: &Release {
                name: "r".to_owned(),
                namespace: "ns".to_owned(),
                revision: 1,
                is_upgrade: false,
            },
            capabilities: &Capabilities::default(),
            options: &Options::default(),
            skip_schema: false,
        });
        let texts = texts.unwrap_or_else(|error| panic!("{expression}: {error}"));
        let text = String::from_utf8_lossy(&texts["t/templates/a.yaml"]);
        assert_eq!(text.trim_start(), *expected, "{expression}");
    }
}
