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

/** Hand-written ONNX file of these steps, one after the other; `sizes`: of its input. */
const modelOf = (operations: readonly string[], ...sizes: number[]): Uint8Array => {
  const names = ['sound', ...operations.slice(1).map((_, nth) => `step ${nth}`), 'probability']
  return Buffer.concat([
    numberField(1, 8),
    messageField(
      7,
      ...operations.map((operation, nth) => node(operation, names[nth] ?? '', names[nth + 1] ?? '')),
      textField(2, 'turns'),
      value(11, 'sound', ...sizes),
      value(12, 'probability', ...sizes.map(() => 1)),
    ),
    messageField(8, textField(1, ''), numberField(2, 13)),
  ])
}

/** The louder the last 8 s at 16 kHz, the likelier the end. `operation`: the last step. */
export const tinyTurnModel = (operation = 'Sigmoid'): Uint8Array => modelOf(['Abs', 'ReduceMean', operation], 1, 128_000)

/** A model with the input of Smart Turn v3, log-mel features of the last 8 s: the sigmoid of their mean. */
export const tinyMelTurnModel = (): Uint8Array => modelOf(['ReduceMean', 'Sigmoid'], 1, 80, 800)
