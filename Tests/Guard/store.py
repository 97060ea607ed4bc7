#!/usr/bin/python3
"""A permission store of the portals on the session bus: store.py FILE MODE

It stores the permissions of one entry. FILE has the word of each program, such as "org.example.App yes". It is read
for each request. With the mode `refuse`, no change is accepted. With `slow`, no lookup is answered in the first four
seconds after the first one.
"""

import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.impl.portal.PermissionStore"
PATH, MODE = sys.argv[1:]


class Refusal(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.AccessDenied"


class Store(dbus.service.Object):
    first = None

    @dbus.service.method(NAME, "ss", "a{sas}v", async_callbacks=("answer", "fail"))
    def Lookup(self, _table, _entry, answer, fail):
        del fail
        with open(PATH, encoding="ascii") as file:
            words = dict(line.split() for line in file)
        found = dbus.Dictionary({name: dbus.Array([word], "s") for name, word in words.items()}, "sas")
        now = time.monotonic()
        self.first = self.first or now
        delay = max(0, self.first + 4 - now) if MODE == "slow" else 0
        GLib.timeout_add(round(1_000 * delay), lambda: answer(found, dbus.Byte(0, variant_level=1)))

    @dbus.service.method(NAME, "sbssas", "")
    def SetPermission(self, _table, _create, _entry, program, words):
        if MODE == "refuse":
            raise Refusal("this store refuses")
        with open(PATH, "a", encoding="ascii") as file:
            file.write(f"{program} {words[0]}\n")


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
# Requests that come before the object would get an error.
store = Store(bus, "/org/freedesktop/impl/portal/PermissionStore")
name = dbus.service.BusName(NAME, bus)
GLib.MainLoop().run()
