import { messageField, numberField, textField } from '#adapters/speech/protobuf.ts'

const float = 1
const dimension = (size: number): Uint8Array => messageField(1, numberField(1, size))
const value = (field: number, name: string, ...sizes: number[]): Uint8Array =>
  messageField(
    field,
    textField(1, name),
    messageField(2, messageField(1, numberField(1, float), messageField(2, ...sizes.map((size) => dimension(size))))),
  )
const node = (operation: string, from: string, to: string): Uint8Array =>
  messageField(1, textField(1, from), textField(2, to), textField(4, operation))

/** Hand-written ONNX file of three steps: the louder the last 8 s at 16 kHz, the likelier the end. `operation`: the last step. */
export const tinyTurnModel = (operation = 'Sigmoid'): Uint8Array =>
  Buffer.concat([
    numberField(1, 8),
    messageField(
      7,
      node('Abs', 'sound', 'loud'),
      node('ReduceMean', 'loud', 'mean'),
      node(operation, 'mean', 'probability'),
      textField(2, 'turns'),
      value(11, 'sound', 1, 128_000),
      value(12, 'probability', 1, 1),
    ),
    messageField(8, textField(1, ''), numberField(2, 13)),
  ])
