import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refusal } from '@offhook/sdk/client-of.ts'
import { fetchAsRole } from '#api/client.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './fax-view.module.css'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'

/** A fax: a thumbnail of its first page, and the documents to save. */
export const FaxView = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const { id, documentUrl, reportUrl, previewUrl } = entry
  if (documentUrl === undefined && previewUrl === undefined && reportUrl === undefined) return null
  return (
    <Section title={say.document}>
      {previewUrl !== undefined && <Preview address={previewUrl} />}
      <Group gap="xs" mt="md">
        {documentUrl !== undefined && <SaveButton address={documentUrl} name={`fax-${id}.pdf`} label={say.openDocument} />}
        {reportUrl !== undefined && <SaveButton address={reportUrl} name={`fax-${id}-report.pdf`} label={say.openReport} />}
      </Group>
    </Section>
  )
}

/** Fetches the service's file address from this page's host: no other host is allowed. */
const fetchFile = async (address: string): Promise<Blob> => {
  const { pathname, search } = new URL(address, location.href)
  const reply = await fetchAsRole(pathname + search)
  if (!reply.ok) throw await refusal(reply)
  return reply.blob()
}

const Preview = ({ address }: { address: string }) => {
  const say = useText(text)
  // The signed address changes with every reply, its content does not.
  const { data } = useQuery({
    queryKey: ['fax preview', new URL(address, location.href).pathname],
    queryFn: async () => URL.createObjectURL(await fetchFile(address)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  useEffect(() => () => void (data !== undefined && URL.revokeObjectURL(data)), [data])
  return data === undefined ? null : <img className={classes.preview} src={data} alt={say.preview} />
}

const SaveButton = ({ address, name, label }: { address: string; name: string; label: string }) => {
  const { failed } = useToast()
  const save = async (): Promise<void> => {
    const url = URL.createObjectURL(await fetchFile(address))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={() => void save().catch(failed)}>
      {label}
    </Button>
  )
}
