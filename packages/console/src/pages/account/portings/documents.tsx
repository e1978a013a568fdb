import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { saveFile } from '#parts/list/save-file.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { FileDrop } from '#lazy-parts/file-drop.tsx'
import { toBase64 } from '../voicemail/telephone-sound.ts'
import { documentsText } from './documents-text.ts'

const maxBytes = 5 * 1024 * 1024
const max = 5

/** What the present provider wants to see: PDFs that are handed in with the porting. */
export const PortingDocuments = ({ portingId }: { portingId: string }) => {
  const say = useText(documentsText)
  const { bytes } = useFormat()
  const may = useMay()
  const documents = useRead('listPortingDocuments', { portingId }).data?.items ?? []
  const { hand, problem, error } = useHandIn(portingId)
  const toast = useToast()
  const remove = useWrite('deletePortingDocument', { refreshes: ['listPortingDocuments'], onDone: () => toast.done(say.removed) })
  const save = async (documentId: string, name: string): Promise<void> =>
    saveFile(name, new Blob([new Uint8Array(await api.getPortingDocument({ portingId, documentId }))], { type: 'application/pdf' }))
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} component="h3">
        {say.title}
      </Text>
      {documents.map(({ id, name, bytes: size }) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <Button variant="subtle" size="compact-sm" onClick={() => void save(id, name).catch(toast.failed)}>
            {say.named(name, bytes(size))}
          </Button>
          {may('CAN_CREATE_PORTINGS') && (
            <Button
              variant="subtle"
              color="red"
              size="compact-sm"
              aria-label={say.removeOf(name)}
              onClick={() => remove.mutate([{ portingId, documentId: id }], { onError: toast.failed })}
            >
              {say.remove}
            </Button>
          )}
        </Group>
      ))}
      {may('CAN_CREATE_PORTINGS') && documents.length < max && (
        <FileDrop accept="application/pdf,.pdf" icon="upload" words={say.drop} hint={say.hint} problem={problem} onFiles={hand} />
      )}
      {error && <ErrorNotice error={error} />}
    </Stack>
  )
}

/** Says at once what the service would refuse. */
const useHandIn = (portingId: string) => {
  const say = useText(documentsText)
  const toast = useToast()
  const [problem, setProblem] = useState<string>()
  const add = useWrite('addPortingDocument', { refreshes: ['listPortingDocuments'], onDone: () => toast.done(say.handedIn) })
  const hand = ([file]: File[]): void => {
    if (!file) return
    const wrong = !/\.pdf$/i.test(file.name) ? say.notPdf : file.size > maxBytes ? say.tooLarge : undefined
    setProblem(wrong)
    if (wrong !== undefined) return
    void file.arrayBuffer().then((read) => {
      add.mutate([{ portingId }, { name: file.name.slice(-200), base64Content: toBase64(new Uint8Array(read)) }])
    })
  }
  return { hand, problem, error: add.error }
}
