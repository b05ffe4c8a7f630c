//! Names the shared library, for those who install it: with `SIMDCAST_SONAME=libsimdcast.so.1` in the
//! environment programs look for that file, whatever they were linked against. Without it they look for
//! `libsimdcast.so`, which is what lies in `target/`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SIMDCAST_SONAME");
    let Ok(name) = std::env::var("SIMDCAST_SONAME") else { return };
    let option = match std::env::var("CARGO_CFG_TARGET_VENDOR").as_deref() {
        Ok("apple") => "-Wl,-install_name",
        _ => "-Wl,-soname",
    };
    println!("cargo:rustc-cdylib-link-arg={option},{name}");
}
