import { Button, Group } from '@mantine/core'
import { api } from '#api/client.ts'
import type { OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { saveFile } from '#parts/list/save-file.ts'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** What the customer handed in, if anything. */
export const Documents = ({ porting: { id, documents } }: { porting: OutputOf<'readPorting'> }) => {
  const say = useText(text)
  const { bytes } = useFormat()
  const toast = useToast()
  const save = async (documentId: string, name: string): Promise<void> => {
    const pdf = await api.readPortingDocument({ portingId: String(id), documentId })
    saveFile(name, new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }))
  }
  if (documents.length === 0) return null
  return (
    <Section title={say.documents}>
      <Group gap="xs">
        {documents.map(({ id: documentId, name, bytes: size }) => (
          <Button key={documentId} variant="default" size="sm" onClick={() => void save(documentId, name).catch(toast.failed)}>
            {say.openOf(name, bytes(size))}
          </Button>
        ))}
      </Group>
    </Section>
  )
}
