"""Models that run on this computer: llama.cpp in a process of our own, started when a model is asked."""
