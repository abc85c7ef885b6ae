"""Uses the GPU from Python, without graphnet: tests/gpu/run does it first, so that what fails here is no doing of ours
and what is slow the first time has been done. Exit code 77: the package is not there."""
import importlib.util
import sys
import time


def use_torch():
    import torch

    print("torch", torch.__version__, "CUDA", torch.version.cuda, "available", torch.cuda.is_available())
    print(torch.cuda.get_device_name(0), torch.cuda.get_device_capability(0))
    started = time.time()
    a = torch.randn(1024, 1024, device="cuda")
    product = (a @ a).sum().item()
    print(f"product {product:.3f} after {time.time() - started:.1f} s")
    image = torch.randn(8, 16, 64, 64, device="cuda")
    kernel = torch.randn(16, 16, 3, 3, device="cuda")
    summed = torch.nn.functional.conv2d(image, kernel).sum().item()
    print(f"convolution {summed:.3f} after {time.time() - started:.1f} s, cuDNN {torch.backends.cudnn.version()}")
    wanted = (a.cpu().double() @ a.cpu().double()).float()
    worst = ((a @ a).cpu() - wanted).abs().max().item()
    print(f"largest error of the product {worst:.2e}, device memory {torch.cuda.mem_get_info()}")
    assert worst < 1e-2


def use_jax():
    import jax
    import jax.numpy as jnp

    print("jax", jax.__version__, jax.devices())
    assert jax.devices()[0].platform in ("gpu", "cuda"), "jax has no GPU"
    started = time.time()
    x = jnp.arange(16.0).reshape(4, 4)
    total = float(jax.jit(lambda value: (jnp.sin(value) @ value).sum())(x))
    print(f"jit {total:.4f} after {time.time() - started:.1f} s")


if __name__ == "__main__":
    package = sys.argv[1]
    if importlib.util.find_spec(package) is None:
        print(f"this python3 has no {package}")
        sys.exit(77)
    {"torch": use_torch, "jax": use_jax}[package]()
