"""Runs the vectors that all clients and the server share."""

import base64
import json
import unittest
from pathlib import Path

from engage_client import read_batch, sign, verify_signature, write_failure, write_reply

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_text(encoding="utf-8"))


def body_of(vector):
    if "bodyBase64" in vector:
        return base64.b64decode(vector["bodyBase64"])
    return vector["body"].encode()


class Vectors(unittest.TestCase):
    def test_signatures(self):
        for vector in VECTORS["signatures"]:
            with self.subTest(vector["name"]):
                body = body_of(vector)
                self.assertEqual(verify_signature(body, vector["signature"], vector["secrets"]), vector["isValid"])
                own = [sign(secret, body) for secret in vector["secrets"]]
                self.assertEqual(vector["signature"].strip().lower() in own, vector["isValid"])

    def test_batches(self):
        for vector in VECTORS["batches"]:
            with self.subTest(vector["name"]):
                batch = read_batch(body_of(vector))
                self.assertEqual(list(batch.request_ids), vector["requestIds"])
                found = [{"pushId": one.push_id, "receipt": one.raw_receipt.decode()} for one in batch.messages]
                self.assertEqual(found, vector["messages"])
                self.assertEqual([one.index for one in batch.messages], list(range(1, len(found) + 1)))

    def test_invalid_batches(self):
        for vector in VECTORS["invalidBatches"]:
            with self.subTest(vector["name"]), self.assertRaises(ValueError):
                read_batch(body_of(vector))


class Bodies(unittest.TestCase):
    def test_no_signature(self):
        self.assertFalse(verify_signature(b"[]", None, ["demo-secret"]))

    def test_params(self):
        body = b'[{"push_id":"a","params":{"n":1.50,"rows":[{"id":"7"}]},"custom_params":null}]'
        (message,) = read_batch(body).messages
        self.assertEqual(message.params, {"n": "1.50", "rows": [{"id": "7"}]})
        self.assertEqual(message.custom_params, {})

    def test_lone_surrogate(self):
        (message,) = read_batch(b'[{"push_id":"\\ud800"}]').messages
        self.assertEqual(message.push_id, "")

    def test_depth(self):
        with self.assertRaisesRegex(ValueError, "nested too deeply"):
            read_batch(b'[{"a":' + b"[" * 100_000)

    def test_replies(self):
        self.assertEqual(
            write_reply({2: "push_id is required"}),
            b'{"return_code":0,"return_message":"success",'
            b'"data":{"fail_list":[{"index":2,"message":"push_id is required"}]}}',
        )
        self.assertEqual(json.loads(write_reply())["data"], {"fail_list": []})
        self.assertEqual(write_failure("no"), b'{"return_code":1,"return_message":"no"}')


if __name__ == "__main__":
    unittest.main()
