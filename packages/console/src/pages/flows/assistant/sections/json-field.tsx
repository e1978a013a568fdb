import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import { text } from './tools-text.ts'

/** A JSON editor. Invalid JSON stays in the form as text, so that nothing typed is lost and the service rejects it. */
export const JsonField = ({ form, path, label, description }: { form: DraftForm; path: string; label: string; description: string }) => {
  const say = useText(text)
  const value = form.at(path)
  const [words, setWords] = useState(typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, undefined, 2))
  const take = (typed: string): void => {
    setWords(typed)
    form.set(path, parsed(typed))
  }
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={words}
      onChange={(event) => take(event.currentTarget.value)}
      error={typeof value === 'string' ? say.noJson : form.problem(path)}
    />
  )
}

const parsed = (typed: string): unknown => {
  if (typed.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(typed)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : typed
  } catch {
    return typed
  }
}
