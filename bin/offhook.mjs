#!/usr/bin/env node
// Plain JavaScript that any Node from 18 on can read: hands over to the Node 24 that npm installed with us.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = join(dirname(fileURLToPath(import.meta.url)), '../packages/server/src/cli.ts')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major > 24 || (major === 24 && minor >= 10)) {
  await import(main)
} else {
  const child = spawn(bundledNode(), [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}

function bundledNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    console.error(`Offhook needs Node 24.10 or newer; this is ${process.versions.node}, and no bundled Node fits ${process.platform}-${process.arch}.`)
    process.exit(1)
  }
}
