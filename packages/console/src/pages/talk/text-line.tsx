import { ActionIcon, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** As many as the service takes. */
const maxCharacters = 2_000

export interface TextLineProps {
  onSend: (words: string) => void
  /** What the service said about the last one. */
  remark: string | undefined
  /** The talk has no microphone: the user can begin to type at once. */
  isOnlyWay: boolean
}

/** Typed instead of spoken. */
export const TextLine = ({ onSend, remark, isOnlyWay }: TextLineProps) => {
  const say = useText(text)
  const [words, setWords] = useState('')
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (words.trim() === '') return
    onSend(words.trim())
    setWords('')
  }
  return (
    <form onSubmit={send}>
      <TextInput
        label={say.write}
        placeholder={say.writeHint}
        maxLength={maxCharacters}
        autoComplete="off"
        autoFocus={isOnlyWay}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        error={remark}
        rightSection={
          <ActionIcon type="submit" aria-label={say.send} disabled={words.trim() === ''}>
            <Icon name="send" size={16} />
          </ActionIcon>
        }
      />
    </form>
  )
}
