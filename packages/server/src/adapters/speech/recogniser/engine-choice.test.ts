import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import type { ModelPart, ModelSizes } from '../models/model-list.ts'
import { EngineChoice } from './engine-choice.ts'

const open = (sizes: ModelSizes, there: ModelPart[]): { choice: EngineChoice; told: object[] } => {
  const notified: object[] = []
  const log = (code: string, fields?: object): void => void notified.push({ code, ...fields })
  const folderWith = (...parts: ModelPart[]): Promise<string> => {
    const missing = parts.filter((part) => !there.includes(part))
    return missing.length === 0 ? Promise.resolve('/models') : Promise.reject(new SpeechUnavailable(`not fetched: ${missing.join()}`))
  }
  return { choice: new EngineChoice({ models: { folderWith }, sizes, log }), told: notified }
}

test('chooses the configured sizes, and the small English model for overload', async () => {
  const { choice, told: notified } = open({ english: 'base', whisper: 'small' }, ['stt-en', 'stt-en-base', 'stt-multi', 'stt-multi-small'])
  assert.deepEqual(await choice.of('moonshine'), { engine: 'moonshine-base', quick: 'moonshine-tiny', folder: '/models' })
  assert.deepEqual(await choice.of('whisper'), { engine: 'whisper-small', folder: '/models' })
  assert.deepEqual(notified, [])
})

test('falls back to the other size when a model is missing, and logs it once', async () => {
  const there: ModelPart[] = ['stt-en', 'stt-multi']
  const { choice, told: notified } = open({ english: 'base', whisper: 'small' }, there)
  for (let i = 0; i < 2; i++) {
    assert.equal((await choice.of('moonshine')).engine, 'moonshine-tiny')
    assert.equal((await choice.of('whisper')).engine, 'whisper-base')
  }
  const why = (part: string): string => `not fetched: ${part}`
  assert.deepEqual(notified, [
    { code: 'recogniser_replaced', missing: 'moonshine-base', instead: 'moonshine-tiny', why: why('stt-en-base') },
    { code: 'recogniser_replaced', missing: 'whisper-small', instead: 'whisper-base', why: why('stt-multi-small') },
  ])
  there.push('stt-en-base')
  assert.equal((await choice.of('moonshine')).engine, 'moonshine-base')
})

test('falls back to a larger model when the smaller one is missing', async () => {
  const { choice } = open({ english: 'tiny', whisper: 'base' }, ['stt-multi-small'])
  assert.equal((await choice.of('whisper')).engine, 'whisper-small')
  await assert.rejects(choice.of('moonshine'), { name: 'SpeechUnavailable', message: /stt-en$/ })
})
