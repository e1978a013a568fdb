import { operation } from '../operation.ts'
import { byTokenOrAddress } from './recordings.ts'

const reading = { ...byTokenOrAddress, errors: ['fax_not_found', 'fax_link_invalid', 'range_not_satisfiable'] } as const

export const faxOperations = {
  getFaxDocument: operation({
    ...reading,
    id: 'getFaxDocument',
    path: '/v2/faxes/{faxId}/document',
    summary: 'The document that was faxed, or the pages that were received',
    file: 'application/pdf',
  }),
  getFaxReport: operation({
    ...reading,
    id: 'getFaxReport',
    path: '/v2/faxes/{faxId}/report',
    summary: 'A page that says how sending a fax went, with its first page in small',
    file: 'application/pdf',
  }),
  getFaxPreview: operation({
    ...reading,
    id: 'getFaxPreview',
    path: '/v2/faxes/{faxId}/preview',
    summary: 'The first page of a fax in small',
    file: 'image/png',
  }),
}
