"""Stands in for the two PyTorch functions that the page uses."""

import pickle


def save(value, path):
    with open(path, "wb") as file:
        pickle.dump(value, file)


def load(path):
    with open(path, "rb") as file:
        return pickle.load(file)
