import { workerData } from 'node:worker_threads';
import { serveBuilder } from './index-builder.ts';
import { searchFile } from './search-builder.ts';

serveBuilder(searchFile((workerData as { readonly documentCount: number }).documentCount));
