"""Forgeries of models that are trained by the words of a command line, each of them once."""
import re

from model_file import ModelFile
from support import PROGRAM, ForgeryTest


class TrainedModels(ForgeryTest):
    made = {}
    train_options = ()

    def honest(self, *words):
        if words not in self.made:
            self.done(PROGRAM, "train", *words, "-o", "made.model", "--quiet", *self.train_options)
            self.made[words] = (self.folder / "made.model").read_bytes()
        return ModelFile(self.made[words])

    def forged(self, kind, words, edit, data=None, codes=(1, 3)):
        model = self.honest(*words)
        edit(model)
        return self.refused_whatever_it_was_trained_on(kind, model, data or words[0], codes)

    def refused_whatever_it_was_trained_on(self, kind, model, data, codes=(1, 3)):
        """Once with the fingerprint as it is, and once with the one that the checker expects."""
        self.write("forged.model", model.bytes())
        outcome = self.refused(kind, PROGRAM, "verify", "forged.model", data, codes=codes)
        found = re.search(r"fingerprint ([0-9a-f]{32}), the model says", outcome.out)
        if found:
            model.fact("data", found.group(1))
            self.write("forged.model", model.bytes())
            outcome = self.refused(kind, PROGRAM, "verify", "forged.model", data, codes=codes, always=True)
        return outcome
