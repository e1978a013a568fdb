// test: own process
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { docsFolder } from '#places.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { modelPackages, type ModelPackage, modelSizes, type SizeSettings, modelsFolder, partsFor } from './model-list.ts'
import { openModels } from './models.ts'
import { progressBar } from './progress-bar.ts'
import { npmRegistry, tarballUrl } from './fetch-models.ts'

const log = (): void => {}
const noProgress = { begin: () => {}, fetched: () => {}, end: () => {} }

test('pins every model by its content, each with a path of its own', () => {
  const files = modelPackages.flatMap((one) => one.files)
  for (const { integrity, licence, version } of modelPackages) {
    assert.match(integrity, /^sha512-[\w+/]{86}==$/)
    assert.match(version, /^\d+\.\d+\.\d+$/)
    assert.notEqual(licence, '')
  }
  for (const { notices = {} } of modelPackages) for (const from of Object.keys(notices)) assert.ok(files.some(({ to }) => to === from))
  for (const { to } of files) assert.match(to, /^[\w-]+(\/[\w.-]+)+$/)
  assert.equal(new Set(files.map(({ to }) => to)).size, files.length)
})

test('docs/third-party.md names every model', async () => {
  const page = await readFile(join(docsFolder, 'third-party.md'), 'utf8')
  for (const { name, version } of modelPackages) assert.ok(page.includes(`| \`${name}\` ${version} |`), name)
})

test('keeps models in a folder that later installations share', () => {
  assert.equal(modelsFolder(undefined, { XDG_CACHE_HOME: '/cache' }), '/cache/offhook/models')
  assert.equal(modelsFolder(undefined, {}), join(homedir(), '.cache/offhook/models'))
  assert.equal(modelsFolder('/srv/models', {}), '/srv/models')
  assert.equal(modelsFolder('off', {}), undefined)
})

test('fetches only the parts that the machine uses', () => {
  assert.deepEqual(partsFor({ english: 'tiny', whisper: 'base' }), ['vad', 'stt-en', 'stt-multi', 'tts-en', 'tts-de'])
  assert.deepEqual(partsFor({ english: 'base', whisper: 'small' }), ['vad', 'stt-en', 'stt-en-base', 'stt-multi-small', 'tts-en', 'tts-de'])
})

test('chooses the larger models for machines with enough resources, unless the operator decides', () => {
  const auto = { OFFHOOK_ENGLISH: 'auto', OFFHOOK_WHISPER: 'auto', OFFHOOK_SPEECH_WORKERS: 0 } as const
  const of = (processors: number, gigabytes: number, settings: SizeSettings = auto): string => {
    const { english, whisper } = modelSizes(settings, { processors, bytes: gigabytes * 2 ** 30 })
    return `${english} ${whisper}`
  }
  assert.deepEqual([of(1, 8), of(2, 1), of(2, 1.9), of(2, 16)], ['tiny base', 'tiny base', 'base base', 'base base'])
  assert.deepEqual(
    [of(4, 2), of(4, 3.8), of(3, 8), of(16, 8), of(16, 64)],
    ['tiny base', 'base small', 'base base', 'tiny base', 'base small'],
  )
  assert.equal(of(16, 8, { ...auto, OFFHOOK_SPEECH_WORKERS: 2 }), 'base small', 'each thread has its own models')
  assert.equal(of(1, 1, { ...auto, OFFHOOK_ENGLISH: 'base', OFFHOOK_WHISPER: 'small' }), 'base small')
  assert.equal(of(16, 64, { ...auto, OFFHOOK_ENGLISH: 'tiny', OFFHOOK_WHISPER: 'base' }), 'tiny base')
})

test("fetches models from npm's configured registry", async () => {
  assert.equal(await npmRegistry({ npm_config_registry: 'https://npm.example/' }), 'https://npm.example/')
  const [first] = modelPackages
  assert.equal(
    tarballUrl('https://npm.example/some/', first ?? assert.fail()),
    'https://npm.example/some/@ricky0123/vad-web/-/vad-web-0.0.31.tgz',
  )
})

test('openModels returns undefined when models are turned off', async () => {
  assert.equal(
    await openModels(
      { OFFHOOK_MODELS: 'off', OFFHOOK_ENGLISH: 'auto', OFFHOOK_WHISPER: 'base', OFFHOOK_SPEECH_WORKERS: 0 },
      log,
      noProgress,
    ),
    undefined,
  )
})

test('names the missing models during and after a failed fetch', async (t) => {
  const settings = {
    OFFHOOK_MODELS: await temporaryFolder(t),
    OFFHOOK_ENGLISH: 'auto',
    OFFHOOK_WHISPER: 'base',
    OFFHOOK_SPEECH_WORKERS: 0,
  } as const
  const models = (await openModels(settings, log, noProgress, 'http://127.0.0.1:9/')) ?? assert.fail()
  await assert.rejects(models.folderWith('vad'), /still being fetched: @ricky0123\/vad-web/)
  await models.settled
  await assert.rejects(models.folderWith('vad'), /not fetched: @ricky0123\/vad-web@0\.0\.31; run/)
  await models.close()
})

test('stops fetching on close', async (t) => {
  const settings = {
    OFFHOOK_MODELS: await temporaryFolder(t),
    OFFHOOK_ENGLISH: 'auto',
    OFFHOOK_WHISPER: 'base',
    OFFHOOK_SPEECH_WORKERS: 0,
  } as const
  const models = (await openModels(settings, log, noProgress, 'http://127.0.0.1:9/')) ?? assert.fail()
  await models.close()
})

const drawn = (isTTY: boolean): string => {
  const written: string[] = []
  const progress = progressBar({ isTTY, write: (text) => written.push(text) })
  const [a, b] = ['a', 'b'].map((name) => ({ name, version: '1.0.0', bytes: 10_000_000 }) as ModelPackage)
  assert.ok(a && b)
  progress.begin([a, b])
  for (const bytes of [0, 5_000_000, 10_000_000]) progress.fetched(a, bytes)
  for (const bytes of [0, 10_000_000]) progress.fetched(b, bytes)
  progress.end()
  return written.join('')
}

test('draws a growing bar on a terminal', () => {
  const lines = drawn(true).split('\r')
  assert.equal(lines[0], `Speech models [${' '.repeat(30)}] 0 MB of 20 MB`)
  assert.equal(lines[1], `Speech models [${'='.repeat(7)}${' '.repeat(23)}] 5 MB of 20 MB`)
  assert.deepEqual(lines.slice(-2), [`Speech models [${'='.repeat(30)}] 20 MB of 20 MB`, '\n'])
})

test('prints one line per package to a file', () => {
  assert.equal(drawn(false), 'Fetching 2 speech models, 20 MB\n  a@1.0.0, 10 MB\n  b@1.0.0, 10 MB\n')
})
