import { api } from '#api/client.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { saveFile } from '#parts/list/save-file.ts'

const files = {
  vcard: { name: 'contacts.vcf', type: 'text/vcard;charset=utf-8' },
  csv: { name: 'contacts.csv', type: 'text/csv;charset=utf-8' },
} as const

/** Hands all contacts over as a file. */
export const useExport = () => {
  const toast = useToast()
  return (format: keyof typeof files): void => {
    const { name, type } = files[format]
    api.exportContacts({ format }).then(
      // Reading a text takes the mark away by which spreadsheets know UTF-8.
      (content) => saveFile(name, new Blob([format === 'csv' ? '\uFEFF' : '', content.replace(/^\uFEFF/, '')], { type })),
      (error: unknown) => toast.failed(error),
    )
  }
}
