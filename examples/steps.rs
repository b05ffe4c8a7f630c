//! How many instructions does a cast execute for an element?
//!
//! Where no clock can be trusted, on a machine that others share or under an emulator, this still tells
//! whether a change made a kernel do more: the number is the same in every run. It says nothing of how long
//! the instructions take.
//!
//! ```text
//! cargo run --release --example steps -- [--isa NAME,...]              on Linux: single steps of this CPU
//! ... steps -- --with qemu-aarch64-static --program FILE --isa neon    this example for another CPU, as FILE
//! ... steps -- --against benches/records/steps.txt                     exit status 1 if a number is larger
//! ... steps -- --table benches/records/steps.txt                       all instruction sets side by side
//! ```
//!
//! A line is an instruction set, a pair, and the number for an element: that of 5120 elements less that of
//! 4096, by the difference. So what a call costs is not in it. The elements are the same everywhere.

#[allow(dead_code)] // It is for checked casts, too.
#[path = "matrix/data.rs"]
mod data;

use simdcast::{Cast, CastOptions, DType, isa};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

/// From, to: what there is most of, and each kind of kernel.
const PAIRS: &str = "\
    float32 float16, float16 float32, float32 bfloat16, bfloat16 float32, bfloat16 float16, float16 bfloat16, \
    float64 float32, float64 float16, float64 bfloat16, float32 float8_e4m3fn, float64 float8_e4m3fn, \
    float16 float8_e5m2, bfloat16 float8_e4m3fn, float8_e4m3fn float32, float8_e5m2 float16, float8_e4m3fn int8, \
    float32 int8, float32 uint32, float64 int64, float16 int16, uint8 float32, int32 float16, int64 float32, \
    uint64 float64, int64 bfloat16, int64 int16, int8 int64, bool float32, float32 bool, int4x2 float32, \
    float32 float4_e2m1fn_x2, float6_e2m3fn_x4 float16, bool1x8 uint8, complex64 complex32, float32 complex64";

/// So many elements that casts of hardly any pair begin to ask more of their buffers between the two.
const LENGTHS: [usize; 2] = [4096, 5120];
/// As many elements are made, whatever the length.
const POOL: usize = 8192;
/// More than so many times as many instructions are a regression. (What another version of the compiler makes of the same
/// code differs less.)
const TOLERANCE: f64 = 1.1;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match answer(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            // If nobody listens there, the status still tells.
            let _ = writeln!(std::io::stderr(), "steps: {message}");
            ExitCode::from(2)
        }
    }
}

/// What is asked for; the answer is whether all is well.
fn answer(args: &[String]) -> Result<bool, String> {
    if args.first().is_some_and(|arg| arg == "--run") {
        return run(&args[1..]).map(|()| true);
    }
    let option = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        Some(args.get(at + 1).cloned().ok_or_else(|| format!("{name} needs a value")))
    };
    let known = ["--isa", "--with", "--program", "--against", "--table"];
    if let Some(unknown) = args.iter().step_by(2).find(|arg| !known.contains(&arg.as_str())) {
        return Err(format!("unknown argument {unknown:?}: it takes {}", known.join(", ")));
    }
    if let Some(file) = option("--table").transpose()? {
        tell(&table(&read(&file)?));
        return Ok(true);
    }
    let runner = match (option("--with").transpose()?, option("--program").transpose()?) {
        (Some(emulator), Some(program)) => Runner::Emulator { emulator, program },
        (None, None) => Runner::This,
        _ => return Err("--with EMULATOR and --program FILE go together".to_owned()),
    };
    let levels: Vec<String> = match option("--isa").transpose()? {
        Some(names) => names.split(',').map(str::to_owned).collect(),
        None => isa::available().map(|level| level.name().to_owned()).collect(),
    };
    let old = option("--against").transpose()?.map(|file| read(&file)).transpose()?;
    let mut all_well = true;
    for level in &levels {
        for pair in pairs() {
            let steps = per_element(&runner, level, &pair)?;
            let key = format!("{level} {pair}");
            let (text, is_well) = verdict(&key, steps, old.as_ref());
            all_well &= is_well;
            tell(&text);
        }
    }
    if old.is_some() {
        tell(if all_well { "no more instructions than before\n" } else { "MORE INSTRUCTIONS\n" });
    }
    Ok(all_well)
}

/// Writes to stdout. A reader that has seen enough is not an error.
fn tell(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn pairs() -> Vec<String> {
    PAIRS.split(',').map(|pair| pair.trim().to_owned()).collect()
}

/// The lines of a file of steps: what they are of, and the number.
type Steps = BTreeMap<String, f64>;

fn read(file: &str) -> Result<Steps, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let line = |(i, line): (usize, &str)| {
        let parts = line
            .rsplit_once(' ')
            .and_then(|(key, steps)| Some((key.to_owned(), steps.parse().ok()?)));
        parts.ok_or_else(|| format!("{file}, line {}: {line:?} is not ISA FROM TO STEPS", i + 1))
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines.map(line).collect()
}

/// The line of a pair, and whether it takes no more steps than it did.
fn verdict(key: &str, steps: f64, old: Option<&Steps>) -> (String, bool) {
    let line = format!("{key} {steps:.3}");
    match old.map(|old| old.get(key)) {
        None => (line + "\n", true),
        Some(None) => (format!("{line}  not known before\n"), true),
        Some(Some(old)) if steps > old * TOLERANCE + 0.002 => {
            (format!("{line}  MORE: it was {old:.3}\n"), false)
        }
        Some(Some(old)) if steps * TOLERANCE + 0.002 < *old => {
            (format!("{line}  less: it was {old:.3}\n"), true)
        }
        Some(Some(_)) => (line + "\n", true),
    }
}

/// A row for each pair, a column for each instruction set.
fn table(steps: &Steps) -> String {
    const ORDER: [&str; 6] = ["scalar", "avx2", "avx512_bw", "avx512_vbmi", "avx512_bf16", "neon"];
    let known = |isa: &&str| steps.keys().any(|key| key.split(' ').next() == Some(isa));
    let columns: Vec<&str> = ORDER.into_iter().filter(known).collect();
    let mut out = format!("{:34}", "instructions an element");
    for isa in &columns {
        let _ = write!(out, "{isa:>13}");
    }
    for pair in pairs() {
        let _ = write!(out, "\n{:34}", pair.replace(' ', " -> "));
        for isa in &columns {
            let cell = steps.get(&format!("{isa} {pair}")).map(|steps| format!("{steps:.2}"));
            let _ = write!(out, "{:>13}", cell.unwrap_or_else(|| "-".to_owned()));
        }
    }
    out + "\n"
}

/// What executes the instructions.
enum Runner {
    /// This CPU.
    This,
    /// An emulator, with this example built for its CPU.
    Emulator { emulator: String, program: String },
}

/// Instructions an element of a pair.
fn per_element(runner: &Runner, level: &str, pair: &str) -> Result<f64, String> {
    let mut counts = [0; 2];
    for (count, n) in counts.iter_mut().zip(LENGTHS) {
        let mut args = vec!["--run".to_owned(), level.to_owned()];
        args.extend(pair.split(' ').map(str::to_owned));
        args.push(n.to_string());
        *count = match runner {
            Runner::This => stepped::count(&args)?,
            Runner::Emulator { emulator, program } => emulated(emulator, program, &args)?,
        };
    }
    let [short, long] = counts;
    Ok((long as f64 - short as f64) / (LENGTHS[1] - LENGTHS[0]) as f64)
}

/// All instructions of a run in QEMU, which logs each one if told to translate them one by one.
fn emulated(emulator: &str, program: &str, args: &[String]) -> Result<u64, String> {
    let help = Command::new(emulator).arg("-h").output();
    let help = help.map_err(|error| format!("{emulator}: {error}"))?.stdout;
    let one_by_one = "one-insn-per-tb"; // The name that version 8.1 gave to -singlestep.
    let is_new = String::from_utf8_lossy(&help).contains(one_by_one);
    let one_by_one = if is_new { format!("-{one_by_one}") } else { "-singlestep".to_owned() };
    let log = ["-d", "exec,nochain", "-D", "/dev/stdout"];
    let mut command = Command::new(emulator);
    command.arg(one_by_one).args(log).arg(program).args(args).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{emulator}: {error}"))?;
    let Some(log) = child.stdout.take() else { return Err("no log".to_owned()) };
    let mut count = 0;
    for line in BufReader::new(log).split(b'\n') {
        let line = line.map_err(|error| format!("{emulator}: {error}"))?;
        count += u64::from(line.starts_with(b"Trace "));
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    match (status.success(), count) {
        (true, 1..) => Ok(count),
        (true, 0) => Err(format!("{emulator} logs no instructions")),
        (false, _) => Err(format!("{program} {}: {status}", args.join(" "))),
    }
}

/// Casts once, for whoever counts: ISA FROM TO N [stops].
fn run(args: &[String]) -> Result<(), String> {
    let [level, from, to, n, stops @ ..] = args else {
        return Err("--run takes ISA FROM TO N".to_owned());
    };
    let dtype = |name: &str| name.parse::<DType>().map_err(|error| error.to_string());
    let (from, to) = (dtype(from)?, dtype(to)?);
    let n: usize = n.parse().map_err(|_| format!("{n:?} is no number of elements"))?;
    isa::set(level).map_err(|error| error.to_string())?;
    let cast = Cast::new(from, to, CastOptions::new()).map_err(|error| error.to_string())?;
    let bytes = |dtype: DType, n| dtype.bytes_for(n).ok_or_else(|| format!("{n} {dtype}"));
    // What is done but for the cast is the same for any `n`. Neither of the buffers starts in the middle of
    // a cache line: how many instructions that would take would depend on where.
    let (mut src, mut dst) = (vec![0; bytes(from, POOL)? + 64], vec![1; bytes(to, POOL)? + 64]);
    let aligned = |buffer: &[u8]| buffer.as_ptr().align_offset(64);
    let (src_start, dst_start) = (aligned(&src), aligned(&dst));
    let (src, dst) = (&mut src[src_start..], &mut dst[dst_start..]);
    let pool = data::Pool::of(POOL, from, to, &CastOptions::new());
    let mut pool = pool.ok_or_else(|| format!("{from} -> {to}: no numbers"))?;
    pool.draw(&mut src[..bytes(from, POOL)?]);
    let (Some(src), Some(dst)) = (src.get(..bytes(from, n)?), dst.get_mut(..bytes(to, n)?)) else {
        return Err(format!("{n} elements are more than {POOL}"));
    };
    stepped::stop(!stops.is_empty());
    let done = cast.run_n(src, dst, n);
    stepped::stop(!stops.is_empty());
    done.map_err(|error| error.to_string())
}

/// Single steps, as a debugger makes them.
#[cfg(all(target_os = "linux", target_env = "gnu"))] // Others have other types of requests.
mod stepped {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::ptr;

    /// Stops this process, so that whoever traces it knows where it is.
    pub(crate) fn stop(wanted: bool) {
        if wanted {
            // SAFETY: raising a signal touches no memory.
            unsafe { libc::raise(libc::SIGSTOP) };
        }
    }

    /// The instructions between the two stops of a run of this program.
    pub(crate) fn count(args: &[String]) -> Result<u64, String> {
        // What a system refuses it refuses here; whatever comes later is a fault of what is run.
        let mut child = traced(args)
            .map_err(|error| format!("cannot count the steps of a process here: {error}"))?;
        let failed = |error: io::Error| format!("{}: {error}", args.join(" "));
        let steps = between_stops(child.id() as libc::pid_t).map_err(|error| {
            let _ = child.kill(); // It may wait for a tracer for ever.
            failed(error)
        })?;
        match child.wait().map_err(failed)? {
            status if status.success() => Ok(steps),
            status => Err(failed(io::Error::other(status.to_string()))),
        }
    }

    /// Keeps this process, and those that it starts, on the CPU that it is on: a step takes several times as
    /// long if two of them wake each other. It is no matter if the system refuses.
    fn stay_here() {
        // SAFETY: a set of CPUs is plain numbers, and as large as the system is told.
        unsafe {
            let mut cpus: libc::cpu_set_t = std::mem::zeroed();
            if let Ok(cpu) = usize::try_from(libc::sched_getcpu()) {
                libc::CPU_SET(cpu, &mut cpus);
                libc::sched_setaffinity(0, size_of_val(&cpus), &cpus);
            }
        }
    }

    /// A run of this program that stops when it starts.
    fn traced(args: &[String]) -> io::Result<Child> {
        stay_here();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(args).arg("stops");
        // SAFETY: between fork and exec nothing is called but this, which is a system call.
        unsafe {
            command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        command.spawn()
    }

    /// The instructions of a traced child between its two stops; then it goes on by itself.
    fn between_stops(pid: libc::pid_t) -> io::Result<u64> {
        wait_for(pid, libc::SIGTRAP)?; // The new program.
        go_on(pid, libc::PTRACE_CONT)?;
        wait_for(pid, libc::SIGSTOP)?;
        let mut steps = 0;
        loop {
            go_on(pid, libc::PTRACE_SINGLESTEP)?;
            match signal_of_stop(pid)? {
                libc::SIGTRAP => steps += 1,
                libc::SIGSTOP => break,
                signal => {
                    return Err(io::Error::other(format!("it was stopped by signal {signal}")));
                }
            }
        }
        go_on(pid, libc::PTRACE_DETACH)?;
        Ok(steps)
    }

    fn go_on(pid: libc::pid_t, request: libc::c_uint) -> io::Result<()> {
        // SAFETY: the process is a stopped child that is traced; no signal is passed on to it.
        let result = unsafe {
            libc::ptrace(request as _, pid, ptr::null_mut::<u8>(), ptr::null_mut::<u8>())
        };
        if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    fn signal_of_stop(pid: libc::pid_t) -> io::Result<libc::c_int> {
        let mut status = 0;
        // SAFETY: the status is a number of this function.
        if unsafe { libc::waitpid(pid, &mut status, 0) } == -1 {
            return Err(io::Error::last_os_error());
        }
        if libc::WIFSTOPPED(status) {
            Ok(libc::WSTOPSIG(status))
        } else {
            Err(io::Error::other(format!("it ended with status {status:#x}")))
        }
    }

    fn wait_for(pid: libc::pid_t, signal: libc::c_int) -> io::Result<()> {
        match signal_of_stop(pid)? {
            stop if stop == signal => Ok(()),
            stop => Err(io::Error::other(format!("it was stopped by signal {stop}, not {signal}"))),
        }
    }
}

/// Elsewhere there are emulators.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod stepped {
    pub(crate) fn stop(_wanted: bool) {}

    pub(crate) fn count(_args: &[String]) -> Result<u64, String> {
        Err("cannot count the steps of a process here: that takes Linux and glibc, or an emulator"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(lines: &[(&str, f64)]) -> Steps {
        lines.iter().map(|(key, steps)| (key.to_string(), *steps)).collect()
    }

    #[test]
    fn all_pairs_are_pairs() {
        for pair in pairs() {
            let (from, to) = pair.split_once(' ').expect("two names");
            assert!(from.parse::<DType>().is_ok() && to.parse::<DType>().is_ok(), "{pair}");
        }
    }

    #[test]
    fn more_steps_are_bad_news() {
        let old = steps(&[("neon int8 bool", 1.0)]);
        assert!(verdict("neon int8 bool", 1.09, Some(&old)).1);
        let (text, is_well) = verdict("neon int8 bool", 1.11, Some(&old));
        assert!(!is_well && text.contains("MORE: it was 1.000"), "{text}");
        assert!(verdict("neon int8 bool", 0.5, Some(&old)).0.contains("less"));
        assert!(verdict("neon int8 int16", 9.0, Some(&old)).0.contains("not known"));
        assert_eq!(
            verdict("neon int8 bool", 9.0, None),
            ("neon int8 bool 9.000\n".to_owned(), true)
        );
    }

    #[test]
    fn the_table_has_what_is_known() {
        let text = table(&steps(&[("neon float32 float16", 1.25), ("avx2 float16 float32", 2.0)]));
        assert!(
            text.lines()
                .next()
                .is_some_and(|line| line.contains("avx2") && !line.contains("scalar"))
        );
        assert!(text.contains("1.25") && text.contains("2.00"));
    }

    #[test]
    fn misuse_is_told() {
        let refusal = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
            answer(&args).expect_err("misuse")
        };
        assert!(refusal(&["--frobnicate"]).contains("--frobnicate"));
        assert!(refusal(&["--isa"]).contains("--isa"));
        assert!(refusal(&["--with", "qemu"]).contains("--program"));
        assert!(refusal(&["--against", "nowhere.txt"]).contains("nowhere.txt"));
        assert!(refusal(&["--run", "scalar", "int8"]).contains("--run"));
        assert!(refusal(&["--run", "scalar", "int8", "int9", "5"]).contains("int9"));
        assert!(refusal(&["--run", "abacus", "int8", "int8", "5"]).contains("abacus"));
    }
}
