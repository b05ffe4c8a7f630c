//! Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random
//! numbers: as easy as 1, 2, 3", 2011). Stochastic rounding draws from it because a draw depends on
//! the key and the element's index alone: any split of a buffer, over calls or threads, sees the
//! same numbers.

use core::array;
use core::mem::MaybeUninit;

pub(crate) const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
pub(crate) const ROUNDS: usize = 10;

/// The four words that the generator gives for a counter under a key.
pub const fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut c = counter;
    let mut k = key;
    let mut round = 0;
    while round < ROUNDS {
        let p0 = MULTIPLIERS[0] as u64 * c[0] as u64;
        let p1 = MULTIPLIERS[1] as u64 * c[2] as u64;
        c = [
            (p1 >> 32) as u32 ^ c[1] ^ k[0],
            p1 as u32,
            (p0 >> 32) as u32 ^ c[3] ^ k[1],
            p0 as u32,
        ];
        k = next_key(k);
        round += 1;
    }
    c
}

/// The four draws of the elements `4 * block` to `4 * block + 3`.
pub const fn draws(seed: u64, block: u64) -> [u32; 4] {
    philox4x32([block as u32, (block >> 32) as u32, 0, 0], [seed as u32, (seed >> 32) as u32])
}

/// The draw of one element.
pub const fn draw(seed: u64, index: u64) -> u32 {
    draws(seed, index / 4)[(index % 4) as usize]
}

/// Writes the draws of blocks from one on, `LANES` of them side by side: as many as keep a register
/// type's multipliers busy. Of each block they are [all](AllDraws) or the [even ones](EvenDraws).
#[inline(always)]
pub(crate) fn fill<const LANES: usize, D: Drawn>(
    seed: u64,
    block: u64,
    blocks: &mut [MaybeUninit<D>],
) {
    let mut first = block;
    let (groups, rest) = blocks.as_chunks_mut::<LANES>();
    for group in groups {
        let words = side_by_side::<LANES>(seed, first);
        for (lane, draws) in group.iter_mut().enumerate() {
            draws.write(D::of(&words, lane));
        }
        first = first.wrapping_add(LANES as u64);
    }
    if !rest.is_empty() {
        let words = side_by_side::<LANES>(seed, first);
        for (lane, draws) in rest.iter_mut().enumerate() {
            draws.write(D::of(&words, lane));
        }
    }
}

/// Words of several blocks, each in a lane twice as wide: products come whole, and what is left of
/// earlier ones in upper halves is not looked at.
pub(crate) type Words<const LANES: usize> = [[u64; LANES]; 4];

const LOW: u64 = u32::MAX as u64;

/// The words of blocks from one on.
#[inline(always)]
fn side_by_side<const LANES: usize>(seed: u64, first: u64) -> Words<LANES> {
    // Blocks are counted modulo 2^62, since elements are modulo 2^64.
    let block = |lane: usize| first.wrapping_add(lane as u64) & (u64::MAX >> 2);
    let mut words = [[0; LANES]; 4];
    words[0] = array::from_fn(|lane| block(lane) & LOW);
    words[1] = array::from_fn(|lane| block(lane) >> 32);
    let mut key = [seed as u32, (seed >> 32) as u32];
    // Written out: in a loop the compiler no longer sees which halves count.
    macro_rules! rounds {
        ($first:literal $($next:literal)*) => {
            const { assert!([$first $(, $next)*].len() == ROUNDS) };
            round(&mut words, key);
            $(
                const { assert!($next > 0) };
                key = next_key(key);
                round(&mut words, key);
            )*
        };
    }
    rounds!(0 1 2 3 4 5 6 7 8 9);
    words
}

#[inline(always)]
fn round<const LANES: usize>([a, b, c, d]: &mut Words<LANES>, key: [u32; 2]) {
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        let p0 = (*a & LOW) * u64::from(MULTIPLIERS[0]);
        let p1 = (*c & LOW) * u64::from(MULTIPLIERS[1]);
        *a = (p1 >> 32) ^ *b ^ u64::from(key[0]);
        *c = (p0 >> 32) ^ *d ^ u64::from(key[1]);
        (*b, *d) = (p1, p0);
    }
}

/// What is wanted of a block.
pub(crate) trait Drawn: Copy {
    /// Those of one block.
    fn of<const LANES: usize>(words: &Words<LANES>, lane: usize) -> Self;
}

/// Each draw of a block.
pub(crate) type AllDraws = [u32; 4];

impl Drawn for AllDraws {
    #[inline(always)]
    fn of<const LANES: usize>([a, b, c, d]: &Words<LANES>, lane: usize) -> Self {
        bytemuck::cast([pair(a[lane], b[lane]), pair(c[lane], d[lane])])
    }
}

/// The first and the third draw of a block.
pub(crate) type EvenDraws = [u32; 2];

impl Drawn for EvenDraws {
    #[inline(always)]
    fn of<const LANES: usize>([a, _, c, _]: &Words<LANES>, lane: usize) -> Self {
        bytemuck::cast(pair(a[lane], c[lane]))
    }
}

/// Two words as they lie in memory.
#[inline(always)]
fn pair(first: u64, second: u64) -> u64 {
    if cfg!(target_endian = "little") {
        (first & LOW) | second << 32
    } else {
        first << 32 | (second & LOW)
    }
}

/// The key of the round after the one with this key.
#[inline(always)]
pub(crate) const fn next_key(key: [u32; 2]) -> [u32; 2] {
    [key[0].wrapping_add(KEY_STEPS[0]), key[1].wrapping_add(KEY_STEPS[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that the authors publish with their own implementation.
    #[test]
    fn published_vectors() {
        let all = [u32::MAX; 4];
        let pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        let cases = [
            ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
            (all, [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
            (pi, [0xa4093822, 0x299f31d0], [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]),
        ];
        for (counter, key, answer) in cases {
            assert_eq!(philox4x32(counter, key), answer, "counter {counter:x?}, key {key:x?}");
        }
    }

    #[test]
    fn an_element_takes_its_word_of_its_block() {
        let seed = 0x299f31d0_a4093822;
        for index in [0, 1, 2, 3, 4, 7, 1 << 34, u64::MAX] {
            let counter = [(index / 4) as u32, (index >> 34) as u32, 0, 0];
            let words = philox4x32(counter, [0xa4093822, 0x299f31d0]);
            assert_eq!(draw(seed, index), words[(index % 4) as usize], "index {index}");
        }
    }

    #[test]
    fn blocks_side_by_side_are_those_one_by_one() {
        are_those_one_by_one::<4>();
        are_those_one_by_one::<8>();
    }

    fn are_those_one_by_one<const LANES: usize>() {
        let seed = 0x8000_0001_ffff_fff0;
        for first in [0, 1, 5, u64::from(u32::MAX) - 3, (u64::MAX >> 2) - 2] {
            let mut blocks = [MaybeUninit::new([0; 4]); 19];
            let mut evens = [MaybeUninit::new([0; 2]); 19];
            fill::<LANES, AllDraws>(seed, first, &mut blocks);
            fill::<LANES, EvenDraws>(seed, first, &mut evens);
            for (i, (block, even)) in blocks.iter().zip(&evens).enumerate() {
                // SAFETY: the words were initialised when they were made.
                let (words, even) = unsafe { (block.assume_init(), even.assume_init()) };
                let index = first.wrapping_add(i as u64) & (u64::MAX >> 2);
                assert_eq!(words, draws(seed, index), "block {i} from {first}");
                assert_eq!(even, [words[0], words[2]], "block {i} from {first}");
            }
        }
    }
}
