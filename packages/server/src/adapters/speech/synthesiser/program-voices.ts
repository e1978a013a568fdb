import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tts } from '#core/kernel/ports/speech.ts'
import { openEspeak } from './espeak.ts'
import { openPico } from './pico.ts'
import { findProgram, Program } from './program.ts'
import type { Log } from '#log/log-events.ts'

export interface ProgramVoices {
  pico?: Tts
  espeak?: Tts
  close: () => Promise<void>
}

/** Voices that are installed beside us. */
export const openProgramVoices = async (log: Log, path = process.env['PATH'] ?? ''): Promise<ProgramVoices> => {
  const opened: Program[] = []
  const open = async (name: string): Promise<Program | undefined> => {
    const file = await findProgram(name, path)
    if (file === undefined) return undefined
    const program = new Program(file)
    opened.push(program)
    return program
  }
  const [picoProgram, espeakProgram] = [await open('pico2wave'), await open('espeak-ng')]
  const folder = picoProgram && (await mkdtemp(join(tmpdir(), 'offhook-voice-')))
  const espeak = espeakProgram && (await espeakIfUsable(espeakProgram, log))
  return {
    ...(picoProgram && folder !== undefined && { pico: openPico(picoProgram, folder) }),
    ...(espeak && { espeak }),
    async close() {
      await Promise.all(opened.map((program) => program.close()))
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

const espeakIfUsable = (program: Program, log: Log): Promise<Tts | undefined> =>
  openEspeak(program).catch((error: unknown) => {
    log('espeak_unusable', { err: error })
    return undefined
  })
