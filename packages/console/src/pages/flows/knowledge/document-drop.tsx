import { useState } from 'react'
import { FileDrop } from '#lazy-parts/file-drop.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const maxBytes = 20_000_000
const known = /\.(?:txt|text|md|markdown|pdf|html?)$/i

/** Takes documents; says at once which it cannot take. */
export const DocumentDrop = ({ onFiles }: { onFiles: (files: File[]) => void }) => {
  const say = useText(text)
  const [problem, setProblem] = useState<string>()
  const take = (files: File[]): void => {
    const strange = files.find(({ name }) => !known.test(name))
    const large = files.find(({ size }) => size > maxBytes)
    setProblem(strange ? say.notKnown(strange.name) : large && say.tooLarge(large.name))
    const good = files.filter(({ name, size }) => known.test(name) && size <= maxBytes)
    if (good.length > 0) onFiles(good)
  }
  const accept = '.txt,.text,.md,.markdown,.pdf,.html,.htm'
  return <FileDrop multiple accept={accept} icon="upload" words={say.drop} hint={say.dropHint} problem={problem} onFiles={take} />
}
