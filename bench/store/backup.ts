import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { percentile, rounded } from '../shared/percentiles.ts'

/**
 * Backup of an installation with 100 MB of database and 100 MB of recordings while its process keeps writing, as it does during calls: duration,
 * memory, and the longest wait of a write (at most 20 ms). A write waits for the disk anyway, so the same is measured without a backup,
 * alternating. Use a real disk (TMPDIR) without other users.
 */
const databaseBytes = 100_000_000
const recordings = 200
const recordingBytes = 500_000
const writeIntervalMs = 5
const silentMs = 3_000
const rounds = 3

const bin = join(import.meta.dirname, '../../bin/offhook.mjs')
const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
const data = join(folder, 'data')
/** New archive per round: erasing the previous one would cost the disk more than writing the next. */
const archiveOf = (round: number): string => join(folder, `${round}.tar`)

const fill = async (): Promise<void> => {
  const file = join(data, 'offhook.db')
  await (await sqliteStore(file)).close()
  const raw = new DatabaseSync(file)
  const insert = raw.prepare('insert into setting (name, value) values (?, ?)')
  raw.exec('begin')
  for (let row = 0; row < databaseBytes / 1_100; row++) insert.run(`filler ${row}`, randomBytes(500).toString('hex'))
  raw.exec('commit')
  raw.close()
  await writeFile(join(data, 'secret.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  await mkdir(join(data, 'recordings/1234567'), { recursive: true })
  for (let index = 0; index < recordings; index++)
    await writeFile(join(data, `recordings/1234567/${index}.wav`), randomBytes(recordingBytes), { flush: true })
}

/** Writes repeatedly until `over`; returns the duration of each write. */
const writing = async (write: (index: number) => Promise<unknown>, over: { now: boolean }): Promise<number[]> => {
  const waits: number[] = []
  while (!over.now) {
    const startedAt = performance.now()
    await write(written++)
    waits.push(performance.now() - startedAt)
    await pause(writeIntervalMs)
  }
  return waits
}
let written = 0

/** Peak memory of the backup, in megabytes. */
const backUp = async (archive: string): Promise<number> => {
  const child = spawn(process.execPath, [bin, 'backup', archive], {
    env: { ...process.env, OFFHOOK_DATA: data },
    stdio: ['ignore', 'inherit', 'ignore'],
  })
  let max = 0
  const look = setInterval(() => {
    try {
      max = Math.max(max, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0))
    } catch {
      // the process has ended
    }
  }, 20)
  const code = await new Promise<number | null>((done) => child.on('exit', done))
  clearInterval(look)
  if (code !== 0) throw new Error(`the backup has failed with ${code}`)
  return Math.round(max / 1024)
}

/** Durations of writes during some other work. */
const during = async (write: (index: number) => Promise<unknown>, work: () => Promise<unknown>): Promise<number[]> => {
  const over = { now: false }
  const waits = writing(write, over)
  await work().finally(() => (over.now = true))
  return waits
}

const figures = (values: number[]) => ({
  p50Ms: percentile(values, 0.5),
  p99Ms: percentile(values, 0.99),
  worstMs: rounded(Math.max(...values)),
})

try {
  await mkdir(data)
  await fill()
  const store = await sqliteStore(join(data, 'offhook.db'))
  const write = (index: number): Promise<unknown> => store.write((tables) => tables.settings.setOnce(`write ${index}`, 'x'.repeat(400)))
  await during(write, () => pause(silentMs)) // warm-up: the first writes are slower
  const [alone, beside]: [number[], number[]] = [[], []]
  let [ms, rssMb] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await during(write, () => pause(silentMs))))
    const startedAt = performance.now()
    beside.push(...(await during(write, async () => (rssMb = Math.max(rssMb, await backUp(archiveOf(round)))))))
    ms = performance.now() - startedAt
  }
  await store.close()
  console.log(
    JSON.stringify({
      bench: 'backup',
      databaseMb: Math.round((await stat(join(data, 'offhook.db'))).size / 1e6),
      filesMb: (recordings * recordingBytes) / 1e6,
      archiveMb: Math.round((await stat(archiveOf(0))).size / 1e6),
      seconds: rounded(ms / 1000),
      rssMb,
      writesMeanwhile: beside.length,
      waiting: figures(beside),
      waitingWithoutBackup: figures(alone),
    }),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
