import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { median, startChild } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Maximum time that a fax upload of 10 MiB blocks the service's main thread, per upload. The service measures it (event loop delay in milliseconds)
 * and reports on a signal.
 */
const uploads = 9
const goalMs = 10

const scope = openScope()
const folder = await temporaryFolder(scope)
const figures = join(folder, 'delay')
const preload = join(folder, 'preload.mjs')
await writeFile(
  preload,
  `import { monitorEventLoopDelay } from 'node:perf_hooks'
import { writeFileSync } from 'node:fs'
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('SIGUSR2', () => { writeFileSync(${JSON.stringify(figures)}, String(delay.max / 1e6)); delay.reset() })`,
)
const service = await startChild([join(import.meta.dirname, '../../bin/offhook.mjs'), 'serve'], {
  NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
  OFFHOOK_HTTP: '127.0.0.1:0',
  OFFHOOK_SIP: '127.0.0.1:0',
  OFFHOOK_SPEECH: 'off',
  OFFHOOK_DATA: folder,
  OFFHOOK_RATE_LIMIT: '0',
})
const { token } = JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8')) as { token: string }
const head = '%PDF-1.4\n1 0 obj <</Type /Page>> endobj\n2 0 obj <<>> stream\n'
const pdf = Buffer.concat([Buffer.from(head), Buffer.alloc(10 * 1024 * 1024 - 1024, 'sound'), Buffer.from('\nendstream endobj\n%%EOF\n')])
const body = JSON.stringify({ faxlineId: 'f0', recipient: '+4930555555', filename: 'large.pdf', base64Content: pdf.toString('base64') })

const longestDelay = async (): Promise<number> => {
  await rm(figures, { force: true })
  service.process.kill('SIGUSR2')
  for (;;) {
    const said = await readFile(figures, 'utf8').catch(() => '')
    if (said !== '') return Number(said)
    await pause(10)
  }
}

const statuses = new Set<number>()
const delays: number[] = []
try {
  for (let upload = 0; upload <= uploads; upload++) {
    await longestDelay()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${String(service.ready['http'])}/v1/sessions/fax`, { method: 'POST', headers, body })
    statuses.add(reply.status)
    await reply.text()
    const maxLength = await longestDelay()
    if (upload > 0) delays.push(Math.round(maxLength * 10) / 10)
  }
} finally {
  await service.stop()
  await scope.end()
}
console.log(
  JSON.stringify({
    bench: 'upload',
    bytes: body.length,
    statuses: [...statuses],
    heldUpMs: median(delays),
    worstMs: Math.max(...delays),
    goalMs,
  }),
)
