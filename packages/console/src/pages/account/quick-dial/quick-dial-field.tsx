import { Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { api, ApiError } from '#api/client.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Verdict = 'free' | 'taken' | 'refused'

const ask = async (quickDialNumber: string): Promise<Verdict> => {
  try {
    await api.validateQuickDial({ quickDialNumber })
    return 'free'
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return 'taken'
    if (error instanceof ApiError && error.status === 400) return 'refused'
    throw error
  }
}

/** Whether a short number can be had, asked as soon as the user stops typing. The present one is not asked about. */
const useVerdict = (number: string, own: string | undefined): Verdict | 'checking' | undefined => {
  const [typed] = useDebouncedValue(number, 250)
  const wanted = number.length >= 2 && number !== own
  const { data } = useQuery({
    queryKey: ['validateQuickDial', typed],
    queryFn: () => ask(typed),
    enabled: wanted && typed === number,
    staleTime: 0,
  })
  if (!wanted) return undefined
  return typed === number && data !== undefined ? data : 'checking'
}

export interface QuickDialFieldProps {
  value: string
  /** The number it has until now. */
  own?: string | undefined
  onChange: (value: string) => void
  error?: ReactNode
}

export const QuickDialField = ({ value, own, onChange, error }: QuickDialFieldProps) => {
  const say = useText(text)
  const verdict = useVerdict(value, own)
  const bad = verdict === 'taken' || verdict === 'refused'
  return (
    <div>
      <TextInput
        label={say.number}
        description={say.rules}
        inputMode="numeric"
        autoComplete="off"
        maxLength={5}
        data-autofocus
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\D/g, ''))}
        error={bad ? say[verdict] : error}
      />
      <Text size="xs" c="dimmed" mt={4} mih={bad ? 0 : 18} role="status">
        {verdict === 'free' || verdict === 'checking' ? say[verdict] : ''}
      </Text>
    </div>
  )
}
