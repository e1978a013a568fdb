// test: own process
import assert from 'node:assert/strict'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { piecesOf } from '#test/conformance/tts.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { SpeechUnavailable, type Tts } from '#core/kernel/ports/speech.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { findProgram, Program, openProgramVoices, type ProgramVoices } from './program-voices.ts'

const log = (): void => {}
const forever = new AbortController().signal

/** One second of a loud tone, in the format of both programs. */
const toneFile = (): Uint8Array => {
  const file = new Uint8Array(wavHeaderBytes + 32_000)
  writeWavHeader(file, 1, 16_000, 32_000)
  new Int16Array(file.buffer, wavHeaderBytes).forEach((_, i, samples) => (samples[i] = Math.round(8_000 * Math.sin(i / 3))))
  return file
}

/** Programs that record their arguments. */
const fakePrograms = async (
  t: TestContext,
  espeak: string,
  pico: string,
): Promise<{ voices: ProgramVoices; calls: () => Promise<string[]> }> => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'tone.wav'), toneFile())
  const note = `printf '%s|' "$@" > "${folder}/$$.call"; cat >> "${folder}/$$.call"`
  for (const [name, script] of [
    ['espeak-ng', espeak],
    ['pico2wave', pico],
  ] as const) {
    await writeFile(
      join(folder, name),
      `#!/bin/sh\n${script.replaceAll('NOTE', () => note).replaceAll('TONE', `cat "${folder}/tone.wav"`)}\n`,
    )
    await chmod(join(folder, name), 0o700)
  }
  const voices = await openProgramVoices(log, folder)
  t.after(() => voices.close())
  return {
    voices,
    calls: async () => {
      const files = (await readdir(folder)).filter((name) => name.endsWith('.call'))
      return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
    },
  }
}

const listing = `echo 'Pty Language  Age/Gender VoiceName  File  Other'; echo ' 5  fr-be  --/M  French_(Belgium)  roa/fr-BE'; echo ' 5  fr-fr  --/M  French  roa/fr'; echo ' 5  es  --/M  Spanish  roa/es'; echo ' 5  es-419  --/M  Spanish_(Latin_America)  roa/es-419'; echo ' 5  cmn  --/M  Chinese  sit/cmn'`
const espeakScript = `if [ "$1" = --voices ]; then ${listing}; else NOTE; TONE; fi`
const picoScript = 'NOTE; TONE > "$4"'

const secondsOf = async (tts: Tts | undefined, text: string, language: string, speed = 1, pitch = 0): Promise<number> => {
  const pieces = await piecesOf(tts?.synthesize({ text, language, speed, pitch }, forever) ?? assert.fail())
  return pieces.reduce((sum, { length }) => sum + length, 0) / 16_000
}

test('espeak-ng: passes the text on stdin and the prosody as arguments', async (t) => {
  const { voices, calls } = await fakePrograms(t, espeakScript, picoScript)
  assert.ok((await secondsOf(voices.espeak, 'Salut [[x]] $(reboot) `id`', 'fr-CA', 1.5, 2)) > 1)
  assert.deepEqual(await calls(), ['-v|fr-fr|-s|240|-p|58|-b|1|-z|--stdin|--stdout|Salut   x   $(reboot) `id`'])
  assert.deepEqual(
    ['fr', 'fr-FR', 'zh-CN', 'de', 'x'].map((language) => voices.espeak?.speaks(language)),
    [true, true, true, false, false],
  )
})

test('espeak-ng: chooses the requested accent or the default', async (t) => {
  const { voices, calls } = await fakePrograms(t, espeakScript, picoScript)
  for (const language of ['fr', 'fr-FR', 'fr-BE', 'fr-CA', 'es', 'es-ES', 'es-MX', 'es_AR'])
    await secondsOf(voices.espeak, language, language)
  const chosen = (await calls()).map((call) => call.replace(/^-v\|([^|]+)\|.*\|(.*)$/, '$2 $1'))
  assert.deepEqual(
    chosen.toSorted((a, b) => (a < b ? -1 : 1)),
    ['es es', 'es-ES es', 'es-MX es-419', 'es_AR es-419', 'fr fr-fr', 'fr-BE fr-be', 'fr-CA fr-fr', 'fr-FR fr-fr'],
  )
})

test('pico2wave: writes its own tags, strips those of the text, and deletes its file', async (t) => {
  const { voices, calls } = await fakePrograms(t, espeakScript, picoScript)
  assert.ok((await secondsOf(voices.pico, 'Eins & <zwei>.', 'de-AT', 0.8, 12)) > 1)
  const [call = ''] = await calls()
  assert.match(call, /^-l\|de-DE\|-w\|.*\/1\.wav\|<pitch level="200"><speed level="80">Eins   {2}zwei \.<\/speed><\/pitch>$/)
  const file = /-w\|([^|]+)\|/.exec(call)?.[1] ?? ''
  assert.deepEqual(await readdir(join(file, '..')), [])
  assert.deepEqual(
    ['en-GB', 'en-AU', 'it', 'fr-CA', 'ja'].map((language) => voices.pico?.speaks(language)),
    [true, true, true, true, false],
  )
})

test('names a program that fails', async (t) => {
  const { voices } = await fakePrograms(t, `if [ "$1" = --voices ]; then ${listing}; else exit 3; fi`, 'cat > /dev/null')
  await assert.rejects(secondsOf(voices.espeak, 'Salut', 'fr'), { name: 'SpeechUnavailable', message: /espeak-ng failed \(3\)/ })
  await assert.rejects(secondsOf(voices.pico, 'Salut', 'fr'), { name: 'SpeechUnavailable', message: 'pico2wave gave no sound' })
  await assert.rejects(new Program('/nowhere/voice').run([], '', forever), { message: "/nowhere/voice can't be started" })
})

test('ignores espeak-ng when it is missing or has no voices', async (t) => {
  const { voices } = await fakePrograms(t, 'exit 0', picoScript)
  assert.equal(voices.espeak, undefined)
  const none = await openProgramVoices(log, '/nowhere:relative:.')
  assert.deepEqual(Object.keys(none), ['close'])
  await none.close()
})

test('kills a program when aborted, and queues others', async () => {
  const sleep = new Program((await findProgram('sleep', process.env['PATH'] ?? '')) ?? assert.fail('no sleep'))
  const stop = new AbortController()
  const many = Array.from({ length: 10 }, () => sleep.run(['100'], '', stop.signal))
  setImmediate(() => stop.abort(new Error('hung up')))
  for (const { status } of await Promise.allSettled(many)) assert.equal(status, 'rejected')
  const closed = sleep.run(['100'], '', forever)
  await Promise.all([sleep.close(), assert.rejects(closed, SpeechUnavailable)])
  await assert.rejects(sleep.run(['100'], '', forever), SpeechUnavailable)
  // Node drops ended processes at the end of a turn.
  for (let i = 0; i < 3; i++) await turn()
  assert.ok(!process.getActiveResourcesInfo().includes('ProcessWrap'))
})
