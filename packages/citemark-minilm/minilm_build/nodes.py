"""A list of ONNX nodes and weights that grows one operator at a time."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

FUSED = "com.microsoft"
"""The domain of the operators that onnxruntime adds to the standard."""

_FORMATS = {20: 9, 21: 10}
"""The version of the file format that came with each version of the operators."""

Array = npt.NDArray[np.generic]


class Nodes:
    """Collects operators; each call returns the name of what it computes."""

    def __init__(self, opset: int = 20) -> None:
        """Take the version of the standard's operators."""
        self._opset = opset
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def weight(self, name: str, values: Array) -> str:
        """Store an array as it is."""
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def kept_in(
        self, file: str, name: str, values: Array, offset: int = 0, four_bits: Sequence[int] | None = None
    ) -> str:
        """Refer to an array in a file beside the graph, from a byte on: onnxruntime maps it, once for all graphs.

        With `four_bits`, its bytes are pairs of numbers in four bits, and this is the shape of those.
        """
        kind = helper.np_dtype_to_tensor_dtype(values.dtype) if four_bits is None else TensorProto.UINT4
        shape = values.shape if four_bits is None else four_bits
        tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", file), ("offset", str(offset)), ("length", str(values.nbytes))):
            tensor.external_data.add(key=key, value=value)
        self._weights.append(tensor)
        return name

    def four_bits(self, name: str, pairs: npt.NDArray[np.uint8], shape: Sequence[int]) -> str:
        """Store pairs of numbers in four bits, the first of each in the lower half of its byte."""
        tensor = TensorProto(name=name, data_type=TensorProto.UINT4, dims=shape, raw_data=pairs.tobytes())
        self._weights.append(tensor)
        return name

    def half(self, name: str, values: Array) -> str:
        """Store an array in 16 bits and hand it on in 32; onnxruntime widens it once, at load."""
        return self.widen(self.weight(f"{name}.half", values.astype(np.float16)))

    def widen(self, name: str) -> str:
        """Convert to float32."""
        return self.run("Cast", [name], to=TensorProto.FLOAT)

    def run(self, operator: str, inputs: list[str], *, domain: str = "", **attributes: object) -> str:
        """Append an operator with one output."""
        output = f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def model(self, name: str, output: str, dimensions: int) -> bytes:
        """Close the graph: token ids and mask in, one vector per text out."""
        self._nodes.append(helper.make_node("Identity", [output], ["embedding"]))
        inputs = [
            helper.make_tensor_value_info(each, TensorProto.INT32, ["batch", "tokens"])
            for each in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", dimensions])]
        graph = helper.make_graph(self._nodes, name, inputs, outputs, self._weights)
        opsets = [helper.make_opsetid("", self._opset), helper.make_opsetid(FUSED, 1)]
        # Fixed so that the bytes do not depend on the release of onnx that builds them.
        version = _FORMATS[self._opset]
        return helper.make_model(graph, opset_imports=opsets, ir_version=version).SerializeToString(deterministic=True)
