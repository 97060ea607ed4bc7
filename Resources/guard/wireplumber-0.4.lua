-- Loads the guard into WirePlumber 0.4. Without this file WirePlumber does nothing about it.
load_script ("recorder-guard.lua")
