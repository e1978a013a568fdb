import { Button } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { useToast } from '../dialog/toast.tsx'
import { Icon } from '../icon/icon.tsx'
import type { Column } from './columns.ts'
import { toCsv } from './csv.ts'
import { saveFile } from './save-file.ts'
import { text } from './text.ts'

export interface CsvButtonProps<Row> {
  /** Of the file, without its ending. */
  name: string
  columns: readonly Column<Row>[]
  read: () => Promise<readonly Row[]>
}

/** Hands the list over as a file. */
export const CsvButton = <Row,>({ name, columns, read }: CsvButtonProps<Row>) => {
  const say = useText(text)
  const toast = useToast()
  const [isReading, setIsReading] = useState(false)
  const save = async (): Promise<void> => {
    setIsReading(true)
    try {
      saveFile(`${name}.csv`, new Blob([toCsv(columns, await read())], { type: 'text/csv;charset=utf-8' }))
    } catch (error) {
      toast.failed(error)
    } finally {
      setIsReading(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<Icon name="download" size={14} />}
      title={say.csvHint}
      loading={isReading}
      onClick={() => void save()}
    >
      {say.csv}
    </Button>
  )
}
