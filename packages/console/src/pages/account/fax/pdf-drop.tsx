import { Text } from '@mantine/core'
import { useId, useState } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from '#parts-of-few/file-drop.module.css'
import { text } from './text.ts'

const largest = 10 * 1024 * 1024

export interface Pdf {
  file?: File
  problem?: string
}

/** Takes a PDF that is dropped or chosen; says at once when it is something else. */
export const PdfDrop = ({ pdf: { file, problem }, onPdf }: { pdf: Pdf; onPdf: (pdf: Pdf) => void }) => {
  const say = useText(text)
  const { bytes } = useFormat()
  const id = useId()
  const [over, setOver] = useState(false)
  const take = (taken: File | undefined): void => {
    if (!taken) return
    if (!/\.pdf$/i.test(taken.name)) return onPdf({ problem: say.notPdf })
    onPdf(taken.size > largest ? { problem: say.tooLarge } : { file: taken })
  }
  return (
    <div>
      <label htmlFor={id} className={classes.drop} data-over={over}>
        {/* It lies over everything, so that what is dropped falls into it. */}
        <input
          id={id}
          type="file"
          accept="application/pdf,.pdf"
          className={classes.input}
          aria-describedby={`${id}-hint`}
          onDragEnter={() => setOver(true)}
          onDragLeave={() => setOver(false)}
          onDrop={() => setOver(false)}
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
        <Icon name={file ? 'fax' : 'upload'} size={22} />
        <span className={classes.words}>{file ? say.chosen(file.name, bytes(file.size)) : say.drop}</span>
        <span id={`${id}-hint`} className={classes.hint}>
          {file ? say.another : say.dropHint}
        </span>
      </label>
      <Text size="sm" mt={4} role="alert" c="var(--mantine-color-error)">
        {problem}
      </Text>
    </div>
  )
}
