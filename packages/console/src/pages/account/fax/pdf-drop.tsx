import { FileDrop } from '#lazy-parts/file-drop.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const maxBytes = 10 * 1024 * 1024

export interface Pdf {
  file?: File
  problem?: string
}

/** Takes a PDF that is dropped or chosen; says at once when it is something else. */
export const PdfDrop = ({ pdf: { file, problem }, onPdf }: { pdf: Pdf; onPdf: (pdf: Pdf) => void }) => {
  const say = useText(text)
  const { bytes } = useFormat()
  const take = ([taken]: File[]): void => {
    if (!taken) return
    if (!/\.pdf$/i.test(taken.name)) return onPdf({ problem: say.notPdf })
    onPdf(taken.size > maxBytes ? { problem: say.tooLarge } : { file: taken })
  }
  return (
    <FileDrop
      accept="application/pdf,.pdf"
      icon={file ? 'fax' : 'upload'}
      words={file ? say.chosen(file.name, bytes(file.size)) : say.drop}
      hint={file ? say.another : say.dropHint}
      problem={problem}
      onFiles={take}
    />
  )
}
