import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { G711 } from '#media/codec/g711.ts'
import { sine } from '#media/sound/tone.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { listening, startPeer } from '#test/machine/peer-process.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { carrier, rtpPorts, type Candidate } from './candidate.ts'
import type { Options } from './options.ts'

const templates = join(import.meta.dirname, 'asterisk')
const login = { user: 'phone', password: 'bench' }

/** Asterisk with the configuration next to this file, in a separate folder. */
export const startAsterisk = async (scope: Scope, binary: string, libs: Options['asteriskLibs']): Promise<Candidate> => {
  const folder = await temporaryFolder(scope)
  const port = await freePorts(scope, 1)
  const { first, last } = rtpPorts.asterisk
  await writeConfiguration(folder, { folder, port, carrier, ...login, first, last })
  for (const name of ['run', 'log', 'spool', 'lib', 'recordings']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'tone.alaw'), tone())
  makeCallRecords(join(folder, 'log/master.db'))
  const env = libs === undefined ? [] : [`LD_LIBRARY_PATH=${resolve(libs)}`]
  const program = resolve(binary)
  const { stdout } = await promisify(execFile)('env', [...env, program, '-V'])
  const peer = startPeer(scope, 'env', [...env, program, '-f', '-C', join(folder, 'asterisk.conf')], folder)
  await listening(peer, 'udp', port)
  const numbers = { bridged: 'bridged', play: 'play', record: 'record', echo: 'echo' }
  return { name: 'asterisk', version: stdout.trim(), pid: peer.pid, sip: `127.0.0.1:${port}`, numbers, login }
}

const writeConfiguration = async (folder: string, values: Record<string, string | number>): Promise<void> => {
  for (const name of await readdir(templates)) {
    const template = await readFile(join(templates, name), 'utf8')
    await writeFile(join(folder, name), filledIn(template, values))
  }
}

/** Replaces placeholders with values; throws on one without a value. */
export const filledIn = (template: string, values: Record<string, string | number>): string =>
  template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the configuration of Asterisk wants {{${name}}}`)
    return String(value)
  })

/** The sound that Offhook plays, in wire format: nothing has to be converted. */
const tone = (): Uint8Array => {
  const samples = sine([440, 600], 10_000, 8000)
  const bytes = new Uint8Array(samples.length)
  new G711('PCMA').encode(samples, bytes, 0)
  return bytes
}

/**
 * Asterisk creates its table itself, but in the journal mode that flushes three times per record. This one is the cheapest that survives a power
 * failure: a write-ahead log, which the file remembers; `synchronous` is FULL unless SQLite was built otherwise.
 */
const makeCallRecords = (file: string): void => {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal')
  database.close()
}
