import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { writeOnnxRuntimes } from '../../release/build/onnxruntime.ts'

/** How a shared library begins: ELF with its machine in bytes 18 and 19, Mach-O with its processor in bytes 4 to 7. */
const beginning = async (file: string): Promise<string> => {
  const handle = await open(file)
  const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0)
  await handle.close()
  return buffer.readUInt32BE(0) === 0x7f454c46 ? `ELF ${buffer.readUInt16LE(18)}` : buffer.toString('hex', 0, 8)
}

const expected: Record<string, string> = {
  'onnxruntime-linux-x64': 'ELF 62',
  'onnxruntime-linux-arm64': 'ELF 183',
  'onnxruntime-darwin-arm64': 'cffaedfe0c000001',
}

test('makes the speech runtime of every machine, though a clone keeps only its own', async (t) => {
  const folders = writeOnnxRuntimes(await temporaryFolder(t))
  assert.deepEqual(folders.map((folder) => basename(folder)).toSorted(), Object.keys(expected).toSorted())
  for (const folder of folders) {
    const libraries = globSync('bin/**/*.{node,so.1,dylib}', { cwd: folder })
    assert.equal(libraries.length, 2, folder)
    for (const library of libraries) assert.equal(await beginning(join(folder, library)), expected[basename(folder)], library)
    assert.match(await readFile(join(folder, 'LICENSE'), 'utf8'), /MIT/)
  }
})
