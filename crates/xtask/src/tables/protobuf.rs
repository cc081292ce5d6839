//! The protobuf wire format, as far as the OpenAPI document needs it.

/// A field of a message: its number and, if it has bytes, those.
pub type Field<'a> = (u64, &'a [u8]);

/// The length-delimited fields of a message; numbers are skipped.
pub fn fields(mut message: &[u8]) -> Result<Vec<Field<'_>>, String> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message)?;
        let number = tag >> 3;
        match tag & 7 {
            0 => {
                varint(&mut message)?;
            }
            1 => {
                take(&mut message, 8)?;
            }
            2 => {
                let length = varint(&mut message)?;
                let length = usize::try_from(length).map_err(|e| e.to_string())?;
                fields.push((number, take(&mut message, length)?));
            }
            5 => {
                take(&mut message, 4)?;
            }
            other => return Err(format!("unknown wire type {other}")),
        }
    }
    Ok(fields)
}

/// The first field with a number.
pub fn field(message: &[u8], number: u64) -> Result<Option<&[u8]>, String> {
    let found = fields(message)?.into_iter().find(|(n, _)| *n == number);
    Ok(found.map(|(_, bytes)| bytes))
}

/// The text of the first field with a number; empty when it is missing.
pub fn string(message: &[u8], number: u64) -> Result<String, String> {
    let bytes = field(message, number)?.unwrap_or_default();
    String::from_utf8(bytes.to_vec()).map_err(|e| e.to_string())
}

fn take<'a>(message: &mut &'a [u8], length: usize) -> Result<&'a [u8], String> {
    let (head, tail) = message
        .split_at_checked(length)
        .ok_or("message ends early")?;
    *message = tail;
    Ok(head)
}

fn varint(message: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *take(message, 1)?.first().ok_or("message ends early")?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("number too long".into())
}
