import { hasPoppler } from '#adapters/fax/poppler.ts'
import { missingSpandsp } from '#media/fax/spandsp.ts'
import { doubtful, fine, type Check } from './finding.ts'

/** Debian packages that npm cannot bring. Only faxes need them. */
export const checkPackages: Check = async () => {
  const missing = missingSpandsp()
  const modem =
    missing === undefined
      ? fine('fax', 'libspandsp is there')
      : doubtful('fax', 'libspandsp2 is not installed: faxes are neither sent nor received', missing.replace(/^.*: /, ''))
  const paper = (await hasPoppler())
    ? fine('paper', 'Poppler makes pages of documents')
    : doubtful('paper', 'poppler-utils is not installed; pdf.js makes pages instead, more slowly', 'npm run setup:fax')
  return [modem, paper]
}
