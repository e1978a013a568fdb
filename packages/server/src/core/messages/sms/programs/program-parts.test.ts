import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProgramPart } from '#core/kernel/ports/store/message.ts'
import { placePart } from './program-parts.ts'

/** Simulates a program that uses one reference for everything, part by part. */
const openProgram = () => {
  let [present, ids]: [ProgramPart[], number] = [[], 0]
  const sent: string[] = []
  const submit = (number: number, text: string, at: number, total = 2): string => {
    const { parts } = placePart(present, { number, text, total }, at, () => `m${++ids}`)
    const complete = parts.length === total && parts[0]?.doneAt === undefined
    if (complete) sent.push(parts.map((part) => part.text).join(''))
    present = complete ? parts.map((part) => ({ ...part, doneAt: at })) : parts
    return `${parts[0]?.messageId}.${number}`
  }
  return { submit, sent }
}

const minute = 60_000

test('never mixes a part repeated after a lost answer with the next message', () => {
  for (const late of [5_000, 3 * minute, 9 * minute]) {
    const { submit, sent } = openProgram()
    submit(1, 'One', 0)
    const id = submit(2, ' two', 0)
    assert.equal(submit(2, ' two', late), id)
    submit(1, 'Three', late + 1_000)
    submit(2, ' four', late + 1_000)
    assert.deepEqual(sent, ['One two', 'Three four'])
  }
})

test('separates messages with the same first part', () => {
  const { submit, sent } = openProgram()
  for (const [index, end] of [' first', ' second', ' third'].entries()) {
    submit(1, 'Dear customer', index * 1_000)
    submit(2, end, index * 1_000)
  }
  assert.deepEqual(sent, ['Dear customer first', 'Dear customer second', 'Dear customer third'])
})

test('ignores a whole repetition within two minutes and sends it again after five', () => {
  const { submit, sent } = openProgram()
  const twice = (at: number): string[] => [submit(1, 'Alarm', at), submit(2, ' bell', at)]
  const ids = twice(0)
  assert.deepEqual(twice(60_000), ids)
  assert.equal(sent.length, 1)
  twice(5 * minute)
  assert.equal(sent.length, 2)
})

test('does not join an incomplete message with parts that arrive much later', () => {
  const { submit, sent } = openProgram()
  submit(2, ' old end', 0)
  submit(1, 'New', 11 * minute)
  submit(2, ' end', 11 * minute)
  assert.deepEqual(sent, ['New end'])
})
