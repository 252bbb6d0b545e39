//! A digest of bytes, by which graphs are told apart.

/// FNV-1a of 64 bits (draft-eastlake-fnv-17): no secret is kept by it.
pub(super) struct Digest(u64);

impl Digest {
    pub(super) fn new() -> Self {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        Self(BASIS)
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        const PRIME: u64 = 0x100_0000_01b3;
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    pub(super) fn written(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the draft, appendix C.
    #[test]
    fn the_digest_is_fnv_1a() {
        for (text, digest) in [
            ("", "cbf29ce484222325"),
            ("a", "af63dc4c8601ec8c"),
            ("foobar", "85944171f73967e8"),
        ] {
            let mut of = Digest::new();
            of.take(text.as_bytes());
            assert_eq!(of.written(), digest, "{text}");
        }
    }
}
