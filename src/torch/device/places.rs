//! The places of storages.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::blocks::{BlockId, EDGE};

/// Storages of a page.
const PAGE: u32 = 1024;

/// The block of each live storage. Storages are numbered as they come, and most go soon: the room of a page whose
/// storages are all gone is given to another page.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pages: Vec<Page>,
    /// [`EDGE`] where nothing is.
    blocks: Vec<BlockId>,
    /// Indices in `blocks` of former pages, for new ones.
    spare: Vec<u32>,
}

/// A page: the index in the list of blocks at which its storages are, as long as one of them is alive.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    start: u32,
    alive: u32,
}

impl Places {
    /// Room for `storages` storages, none of which is alive.
    pub fn with_capacity(storages: usize) -> Self {
        Self {
            pages: Vec::with_capacity(storages.div_ceil(PAGE as usize)),
            blocks: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// A storage that is not alive has this block from here on.
    #[inline(always)]
    pub fn put(&mut self, storage: u32, block: BlockId) {
        let page = match self.pages.get_mut((storage / PAGE) as usize) {
            Some(page) if page.alive > 0 => page,
            _ => self.begin((storage / PAGE) as usize),
        };
        page.alive += 1;
        let at = page.start + storage % PAGE;
        self.blocks[at as usize] = block;
    }

    /// The block of a storage, if it is alive; it is not from here on.
    #[inline(always)]
    pub fn take(&mut self, storage: u32) -> Option<BlockId> {
        let page = self.pages.get_mut((storage / PAGE) as usize)?;
        if page.alive == 0 {
            return None;
        }
        let place = &mut self.blocks[(page.start + storage % PAGE) as usize];
        let block = std::mem::replace(place, EDGE);
        if block == EDGE {
            return None;
        }
        page.alive -= 1;
        if page.alive == 0 {
            self.spare.push(page.start);
        }
        Some(block)
    }

    /// A page with nothing alive gets a place.
    #[cold]
    fn begin(&mut self, page: usize) -> &mut Page {
        let pages = self.pages.len().max(page + 1);
        self.pages.resize(pages, Page::default());
        let start = self.spare.pop().unwrap_or_else(|| {
            let start = self.blocks.len();
            self.blocks.resize(start + PAGE as usize, EDGE);
            u32::try_from(start).unwrap_or(u32::MAX)
        });
        let page = &mut self.pages[page];
        page.start = start;
        page
    }
}
