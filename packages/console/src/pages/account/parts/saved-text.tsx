import { Button, Group, TextInput, type TextInputProps } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { text as partsText } from '#parts/text.ts'
import { useText } from '#words/use-text.tsx'
import { useProblem } from './use-problem.ts'

export interface SavedTextProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onSubmit' | 'error'> {
  /** What the service has; another `key` begins anew. */
  value: string
  onSave: (value: string) => void
  pending: boolean
  /** What the service said when it refused. */
  problem: unknown
}

/** One setting that is typed: a button to save it appears as soon as it differs. */
export const SavedText = ({ value, onSave, pending, problem, ...field }: SavedTextProps) => {
  const { save } = useText(partsText)
  const error = useProblem(problem)
  const [typed, setTyped] = useState(value)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!pending) onSave(typed)
  }
  return (
    <form onSubmit={send} noValidate>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          {...field}
          error={error}
          flex={1}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputWrapperOrder={['label', 'description', 'input', 'error']}
        />
        {typed !== value && (
          <Button type="submit" loading={pending}>
            {save}
          </Button>
        )}
      </Group>
    </form>
  )
}
