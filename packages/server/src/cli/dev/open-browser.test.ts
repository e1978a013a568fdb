// test: own process
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { openBrowser } from '../dev.ts'

const address = 'http://127.0.0.1:8080/console/flows?x=1&y=2'

for (const [system, programs, called] of [
  ['linux', ['xdg-open', 'open', 'wslview'], `xdg-open ${address}`],
  ['macos', ['xdg-open', 'open'], `open ${address}`],
  ['wsl', ['xdg-open', 'wslview', 'rundll32.exe'], `wslview ${address}`],
  ['wsl', ['xdg-open', 'rundll32.exe'], `rundll32.exe url.dll,FileProtocolHandler ${address}`],
  ['wsl', ['xdg-open'], `xdg-open ${address}`],
] as const)
  test(`${system} with ${programs.join(', ')}: opens the browser by ${called.split(' ')[0]}`, async (t) => {
    const folder = await temporaryFolder(t)
    const pipe = join(folder, 'told')
    execFileSync('mkfifo', [pipe])
    for (const program of programs) await writeFile(join(folder, program), `#!/bin/sh\necho "\${0##*/} $*" > "${pipe}"\n`, { mode: 0o755 })
    const { PATH } = process.env
    process.env.PATH = folder
    t.after(() => (process.env.PATH = PATH))
    openBrowser(address, system)
    assert.equal((await readFile(pipe, 'utf8')).trim(), called)
  })
