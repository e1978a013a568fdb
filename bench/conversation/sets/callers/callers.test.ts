import assert from 'node:assert/strict'
import { test } from 'node:test'
import { telephoneBand } from './telephone-band.ts'
import { callerLanguages, readAloud, readDialogues, turnsIn } from './turns.ts'

test('parses turns with pauses and drawn-out words', () => {
  const [turn, ...others] = turnsIn('# a = b\nHow many? = Um | for~ | six, please.\n\n')
  assert.deepEqual(others, [])
  assert.equal(turn?.asked, 'How many?')
  assert.deepEqual(turn.pieces, [
    { text: 'Um', isDrawnOut: false },
    { text: 'for', isDrawnOut: true },
    { text: 'six, please.', isDrawnOut: false },
  ])
})

test('reads a turn with a comma at every pause', () => {
  const [turn] = turnsIn('Well? = Yes, um | at ten, | I think.')
  assert.deepEqual(readAloud(turn?.pieces ?? []), { text: 'Yes, um, at ten, I think.', commas: [1, 2] })
})

test('has the same number of turns and pauses in every language', async () => {
  const counts = await Promise.all(
    callerLanguages.map(async (language) => {
      const turns = await readDialogues(language)
      return [turns.length, turns.flatMap(({ pieces }) => pieces).length]
    }),
  )
  assert.deepEqual(counts, [
    [84, 171],
    [84, 171],
  ])
})

test('passes the telephone band and little else', () => {
  const levelOf = (hz: number): number => {
    const tone = Int16Array.from({ length: 8_000 }, (_, at) => Math.round(8_000 * Math.sin((2 * Math.PI * hz * at) / 8_000)))
    return telephoneBand(tone)
      .subarray(4_000)
      .reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  }
  assert.ok(levelOf(1_000) > 7_300, `${levelOf(1_000)}`)
  assert.ok(levelOf(100) < 1_200, `${levelOf(100)}`)
  assert.ok(levelOf(3_900) < 1_200, `${levelOf(3_900)}`)
})
