-- Loads the guard into WirePlumber 0.4. Without this file, WirePlumber does not load the guard's script.
load_script ("recorder-guard.lua")
