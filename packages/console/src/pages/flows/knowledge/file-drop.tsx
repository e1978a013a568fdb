import { Text } from '@mantine/core'
import { useId, useState } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from '#parts-of-few/file-drop.module.css'
import { text } from './text.ts'

const largest = 20_000_000
const known = /\.(?:txt|text|md|markdown|pdf|html?)$/i

/** Takes files that are dropped or chosen; says at once which it cannot take. */
export const FileDrop = ({ onFiles }: { onFiles: (files: File[]) => void }) => {
  const say = useText(text)
  const id = useId()
  const [over, setOver] = useState(false)
  const [problem, setProblem] = useState<string>()
  const take = (files: File[]): void => {
    const strange = files.find(({ name }) => !known.test(name))
    const large = files.find(({ size }) => size > largest)
    setProblem(strange ? say.notKnown(strange.name) : large && say.tooLarge(large.name))
    const good = files.filter(({ name, size }) => known.test(name) && size <= largest)
    if (good.length > 0) onFiles(good)
  }
  return (
    <div>
      <label htmlFor={id} className={classes.drop} data-over={over}>
        {/* It lies over everything, so that what is dropped falls into it. */}
        <input
          id={id}
          type="file"
          multiple
          accept=".txt,.text,.md,.markdown,.pdf,.html,.htm"
          className={classes.input}
          aria-describedby={`${id}-hint`}
          onDragEnter={() => setOver(true)}
          onDragLeave={() => setOver(false)}
          onDrop={() => setOver(false)}
          onChange={({ currentTarget }) => {
            take([...(currentTarget.files ?? [])])
            currentTarget.value = '' // the same file once more is a choice, too
          }}
        />
        <Icon name="upload" size={22} />
        <span className={classes.words}>{say.drop}</span>
        <span id={`${id}-hint`} className={classes.hint}>
          {say.dropHint}
        </span>
      </label>
      <Text size="sm" mt={4} role="alert" c="var(--mantine-color-error)">
        {problem}
      </Text>
    </div>
  )
}
