import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of this service, as its package says. */
export const version = (): string => {
  const { version: number } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
  return number
}
