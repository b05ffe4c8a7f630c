//! Buffers that tell when something outside them is touched.

/// A buffer in the middle of bytes that must stay as they are.
pub struct Guarded {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

const GUARD: u8 = 0xc3;
const MARGIN: usize = 64;

impl Guarded {
    /// `len` bytes that start `offset` (at most 63) bytes past a multiple of 64.
    pub fn new(len: usize, offset: usize) -> Self {
        let memory = vec![GUARD; len + 3 * MARGIN];
        let past = memory.as_ptr().addr() % MARGIN;
        Self { start: MARGIN + (MARGIN - past) % MARGIN + offset, memory, len }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.len]
    }

    /// Whether the bytes around the buffer are as they were.
    pub fn untouched(&self) -> bool {
        let (before, rest) = self.memory.split_at(self.start);
        before.iter().chain(&rest[self.len..]).all(|&byte| byte == GUARD)
    }
}

#[cfg(unix)]
pub mod pages {
    use std::ptr;

    /// Memory between two pages that can be neither read nor written: any access past either end
    /// ends the process.
    pub struct Pages {
        start: *mut u8,
        total: usize,
        page: usize,
    }

    impl Pages {
        /// Room for at least `bytes` bytes.
        pub fn new(bytes: usize) -> Self {
            // SAFETY: asks the system a question; the mapping is new memory that nobody else has;
            // its first and last page are taken away from within it.
            unsafe {
                let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
                let total = (bytes.div_ceil(page) + 2) * page;
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                let start = libc::mmap(
                    ptr::null_mut(),
                    total,
                    libc::PROT_READ | libc::PROT_WRITE,
                    flags,
                    -1,
                    0,
                );
                assert_ne!(start, libc::MAP_FAILED, "no memory");
                let start: *mut u8 = start.cast();
                for guard in [start, start.add(total - page)] {
                    assert_eq!(libc::mprotect(guard.cast(), page, libc::PROT_NONE), 0);
                }
                Self { start, total, page }
            }
        }

        fn inside(&mut self) -> &mut [u8] {
            // SAFETY: the pages between the first and the last are readable and writable, live as
            // long as `self`, and are borrowed with it.
            unsafe {
                let len = self.total - 2 * self.page;
                std::slice::from_raw_parts_mut(self.start.add(self.page), len)
            }
        }

        /// The first `len` bytes: an unreadable page lies right before them.
        pub fn first(&mut self, len: usize) -> &mut [u8] {
            &mut self.inside()[..len]
        }

        /// The last `len` bytes: an unreadable page lies right after them.
        pub fn last(&mut self, len: usize) -> &mut [u8] {
            let inside = self.inside();
            let start = inside.len() - len;
            &mut inside[start..]
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the mapping made in `new`, to which no borrow is left.
            unsafe { libc::munmap(self.start.cast(), self.total) };
        }
    }
}
