import { Button, Group, TextInput, type TextInputProps } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { text as partsText } from '#parts/text.ts'
import { useText } from '#words/use-text.tsx'
import { useErrorText } from '#parts/form/use-error-text.ts'

interface SavedTextProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onSubmit' | 'error'> {
  /** The saved value; another `key` resets the field. */
  value: string
  onSave: (value: string) => void
  pending: boolean
  /** The service's rejection. */
  problem: unknown
}

/** A text setting: the save button appears when it differs. */
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

/** Error text of a separately saved setting, shown below it. */
export const useProblem = (error: unknown): string | undefined => {
  const { message, specifics } = useErrorText(error)
  if (error === null || error === undefined) return undefined
  return specifics === undefined ? message : `${message} (${specifics})`
}
