import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { toneWav } from '#test/sound/wav.ts'
import { makeNoises, noise, withNoise } from './noises.ts'
import { readFolder, transcriptsIn } from './own-folder.ts'
import { demand, NotInstalled } from './packages.ts'
import { promptsIn } from './prompts.ts'
import { half, joined, secondsOf, silence } from './recording.ts'
import { trimmed } from './sound-file.ts'
import { kindOf } from './turn-set.ts'

test('lists the transcript lines that are speech, each text once', () => {
  const transcript = `; Comment: no
activated: Activated.
beep: [a tone]
letters/a: A
silence/1: (1 second of silence)
again: ACTIVATED!
gone: Not recorded.
vm-goodbye:  Goodbye. `
  const prompts = promptsIn(transcript, (name) => name !== 'gone')
  assert.deepEqual(prompts, [
    { name: 'activated', text: 'Activated.' },
    { name: 'vm-goodbye', text: 'Goodbye.' },
  ])
})

test('uses even recordings for development and holds out odd ones', () => {
  assert.deepEqual(half(['a', 'b', 'c'], 'development'), ['a', 'c'])
  assert.deepEqual(half(['a', 'b', 'c'], 'held-out'), ['b'])
})

test('classifies prompts as finished, unfinished or not a turn', () => {
  const kind = (text: string, name = 'x') => kindOf({ name, text })
  assert.equal(kind('Goodbye.'), 'short')
  assert.equal(kind('Please try again.'), 'whole')
  assert.equal(kind('Login incorrect.  Please enter your number.'), 'two')
  assert.equal(kind('To leave the conference...'), 'open')
  assert.equal(kind('There are currently', 'conf-thereare'), 'open')
  assert.equal(kind('... extension ...'), undefined)
  assert.equal(kind('word '.repeat(23)), undefined)
})

test('makes noise of the requested level, the same every time', () => {
  const rms = (sound: Int16Array): number => Math.sqrt(sound.reduce((sum, value) => sum + value ** 2, 0) / sound.length)
  for (const colour of ['white', 'pink', 'brown'] as const) {
    const sound = noise(colour, 1, -30, 3)
    assert.ok(Math.abs(20 * Math.log10(rms(sound) / 32_768) + 30) < 0.2, colour)
    assert.deepEqual(sound, noise(colour, 1, -30, 3))
  }
  assert.equal(makeNoises().length, 9)
  const voice = { name: 'voice', language: 'en', text: '', samples: noise('pink', 1, -20, 1) }
  const added = withNoise(voice, 10).samples.map((value, at) => value - (voice.samples[at] ?? 0))
  assert.ok(Math.abs(20 * Math.log10(rms(added) / 32_768) + 30) < 0.3)
})

test('trims the silence around a sound', () => {
  const sound = joined([silence(500), new Int16Array(800).fill(8_000), silence(500)])
  assert.equal(trimmed(sound).length, 160 + 800 + 240 - 1)
  assert.equal(trimmed(silence(100)).length, 0)
})

test('parses transcripts with a file, its words and an optional language per line', () => {
  const table = transcriptsIn('# my calls\r\na.wav\tHello there.\r\nb.wav\tGuten Tag\tde\n\nnothing')
  assert.deepEqual(
    [...table],
    [
      ['a.wav', { text: 'Hello there.', language: undefined }],
      ['b.wav', { text: 'Guten Tag', language: 'de' }],
    ],
  )
})

test('reads any folder with recordings and their words', async (t) => {
  const folder = await temporaryFolder(t)
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, `${name}.wav`), toneWav({ hz: 440, seconds: 1, rate: 16_000 }))
  await writeFile(join(folder, 'a.txt'), 'Hello.\n')
  await writeFile(join(folder, 'transcripts.tsv'), 'b\tGuten Tag.\tde\n')
  const set = await readFolder(folder, 'en')
  assert.deepEqual(
    set.map(({ name, text, language }) => [name, text, language]),
    [
      ['a', 'Hello.', 'en'],
      ['b', 'Guten Tag.', 'de'],
    ],
  )
  assert.equal(Math.round(secondsOf(set[0]!)), 1)
})

test('names a folder that is missing, has no words or no sound', async (t) => {
  const folder = await temporaryFolder(t)
  await assert.rejects(readFolder(join(folder, 'none'), 'en'), /there is no folder .*none/)
  await writeFile(join(folder, 'a.wav'), 'not a sound')
  await assert.rejects(readFolder(folder, 'en'), /has no recording .*transcripts\.tsv/)
  await writeFile(join(folder, 'a.txt'), 'Hello.')
  await assert.rejects(readFolder(folder, 'en'), /a\.wav cannot be read/)
})

test('names the package of a set that is not installed', () => {
  assert.throws(
    () => demand({ file: '/nowhere/at/all', package: 'some-sounds' }),
    (error) => error instanceof NotInstalled && error.packages[0] === 'some-sounds',
  )
})
