"""What the package's modules answer when they are called, or asked for a name that they lack."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn


class PackageModule(ModuleType):
    """A module that names its functions when it is called, or asked for one that it lacks.

    The modules of `dirframe.plot` are named after subjects, so ``plot.languages(projects)`` is a
    likely first try. An import binds each module as an attribute of its package, and a module's own
    ``__getattr__`` is not asked for an attribute that is there: only a class can answer.
    """

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if _is_module_of(self, name, value):
            set_class(value)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # asked by Python itself, also while modules are imported
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        if name in dir(self):  # the import that it needs raised an AttributeError: raise that again
            vars(self)["__getattr__"](name)
        from dirframe._display import unknown_attribute

        raise unknown_attribute(f"module {self.__name__!r}", name, dir(self))

    def __call__(self, *_: object, **__: object) -> NoReturn:
        functions = _public_functions(self.__name__)
        advice = f" Its functions: {', '.join(functions)}." if functions else ""
        raise TypeError(f"{self.__name__} is a module, not a function.{advice}")

    def __reduce__(self) -> tuple[Any, ...]:
        # By name, as cloudpickle does it: functions of a notebook that Dask sends may use modules.
        return import_module, (self.__name__,)


def set_class(module: Any) -> None:
    """Set the class of a module and of its own modules, those that it imports later included."""
    module.__class__ = PackageModule
    for name, value in list(vars(module).items()):
        if _is_module_of(module, name, value):
            set_class(value)


def _is_module_of(package: ModuleType, name: str, value: object) -> bool:
    """Return whether an attribute is a module of the package, not one that it imports."""
    return isinstance(value, ModuleType) and value.__name__ == f"{package.__name__}.{name}"


def _public_functions(module: str) -> list[str]:
    """Return the public names of what a module, or a package with its modules, defines."""
    found = []
    for package_name in ("dirframe", "dirframe.stats", "dirframe.plot", "dirframe.provenance"):
        package = import_module(package_name)
        for name in package.__all__:
            home = getattr(getattr(package, name), "__module__", "")
            if f"{home}.".startswith(f"{module}."):
                found.append(f"{package_name}.{name}")
    return found
