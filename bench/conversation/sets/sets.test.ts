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

test('prompts are the lines of the transcript that somebody says, each text once', () => {
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

test('even ones are for development, odd ones are held out', () => {
  assert.deepEqual(half(['a', 'b', 'c'], 'development'), ['a', 'c'])
  assert.deepEqual(half(['a', 'b', 'c'], 'held-out'), ['b'])
})

test('the turn set knows what is over, what is not, and what is no turn', () => {
  const kind = (text: string, name = 'x') => kindOf({ name, text })
  assert.equal(kind('Goodbye.'), 'short')
  assert.equal(kind('Please try again.'), 'whole')
  assert.equal(kind('Login incorrect.  Please enter your number.'), 'two')
  assert.equal(kind('To leave the conference...'), 'open')
  assert.equal(kind('There are currently', 'conf-thereare'), 'open')
  assert.equal(kind('... extension ...'), undefined)
  assert.equal(kind('word '.repeat(23)), undefined)
})

test('noise has the strength it is asked for, and is the same every time', () => {
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

test('what surrounds a sound is cut off', () => {
  const sound = joined([silence(500), new Int16Array(800).fill(8_000), silence(500)])
  assert.equal(trimmed(sound).length, 160 + 800 + 240 - 1)
  assert.equal(trimmed(silence(100)).length, 0)
})

test('a table of transcripts has a file, its words and, if it wants, a language in each line', () => {
  const table = transcriptsIn('# my calls\r\na.wav\tHello there.\r\nb.wav\tGuten Tag\tde\n\nnothing')
  assert.deepEqual(
    [...table],
    [
      ['a.wav', { text: 'Hello there.', language: undefined }],
      ['b.wav', { text: 'Guten Tag', language: 'de' }],
    ],
  )
})

test('any folder with recordings and their words is a set', async (t) => {
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

test('a folder that is none, or has no words, or no sound, is named', async (t) => {
  const folder = await temporaryFolder(t)
  await assert.rejects(readFolder(join(folder, 'none'), 'en'), /there is no folder .*none/)
  await writeFile(join(folder, 'a.wav'), 'not a sound')
  await assert.rejects(readFolder(folder, 'en'), /has no recording .*transcripts\.tsv/)
  await writeFile(join(folder, 'a.txt'), 'Hello.')
  await assert.rejects(readFolder(folder, 'en'), /a\.wav cannot be read/)
})

test('what is not installed is named by its package', () => {
  assert.throws(
    () => demand({ file: '/nowhere/at/all', package: 'some-sounds' }),
    (error) => error instanceof NotInstalled && error.packages[0] === 'some-sounds',
  )
})
