import type { CodecName } from '../engine.ts'
import type { Codec } from './codec.ts'
import { G711 } from './g711.ts'
import { G722 } from './g722.ts'
import { Opus } from './opus.ts'

const makers: Record<CodecName, () => Codec> = {
  PCMA: () => new G711('PCMA'),
  PCMU: () => new G711('PCMU'),
  G722: () => new G722(),
  opus: () => new Opus(),
}

/** 'opus' needs a prepared spare: see prepareOpus. */
export const createCodec = (name: CodecName): Codec => makers[name]()
