import { Box } from '@mantine/core'
import { useEffect, useState } from 'react'
import { api } from '#api/client.ts'
import type { OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { fromBase64 } from './telephone-sound.ts'
import { text } from './text.ts'

export type Greeting = OutputOf<'listGreetings'>['items'][number]

/** The sound is fetched when it is wanted, and given back when another one is. */
export const GreetingPlayer = ({ voicemailId, greeting: { id: greetingId, alias } }: { voicemailId: string; greeting: Greeting }) => {
  const say = useText(text)
  const toast = useToast()
  const [source, setSource] = useState<string>()
  useEffect(() => {
    let address: string | undefined
    const begin = async (): Promise<void> => {
      const { base64Content } = await api.getGreeting({ voicemailId, greetingId })
      address = URL.createObjectURL(new Blob([fromBase64(base64Content)], { type: 'audio/wav' }))
      setSource(address)
    }
    begin().catch((error: unknown) => toast.failed(error))
    return () => {
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [voicemailId, greetingId, toast])
  return (
    <Box p="md">
      {/* Spoken words of the account's own people; there is no text of them to show. */}
      <audio controls autoPlay src={source} aria-label={say.playOf(alias)} style={{ width: '100%' }} />
    </Box>
  )
}
