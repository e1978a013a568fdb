import { Text } from '@mantine/core'
import { useId, useState } from 'react'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import classes from './file-drop.module.css'

interface FileDropProps {
  /** As of a file input. */
  accept: string
  multiple?: boolean
  icon: IconName
  words: string
  hint: string
  problem: string | undefined
  onFiles: (files: File[]) => void
}

/** Accepts dropped or chosen files. */
export const FileDrop = ({ accept, multiple = false, icon, words, hint, problem, onFiles }: FileDropProps) => {
  const id = useId()
  const [ended, setOver] = useState(false)
  return (
    <div>
      <label htmlFor={id} className={classes.drop} data-over={ended}>
        {/* Covers the area, so that dropped files land in it. */}
        <input
          id={id}
          type="file"
          multiple={multiple}
          accept={accept}
          className={classes.input}
          aria-describedby={`${id}-hint`}
          onDragEnter={() => setOver(true)}
          onDragLeave={() => setOver(false)}
          onDrop={() => setOver(false)}
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])])
            currentTarget.value = '' // allows choosing the same file again
          }}
        />
        <Icon name={icon} size={22} />
        <span className={classes.words}>{words}</span>
        <span id={`${id}-hint`} className={classes.hint}>
          {hint}
        </span>
      </label>
      <Text size="sm" mt={4} role="alert" c="var(--mantine-color-error)">
        {problem}
      </Text>
    </div>
  )
}
