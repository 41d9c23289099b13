// What `make interop` does with @grpc/grpc-js and code that ts-proto generated from the contract in the wheel.
import { readFileSync } from "node:fs";
import {
  type ClientReadableStream,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import {
  AnswerRequest,
  type AnswerResponse,
  EvidenceServiceClient,
  EvidenceServiceSearchRequest,
  type EvidenceServiceSearchResponse,
  ReadExcerptRequest,
  type ReadExcerptResponse,
  RetrieveEvidenceRequest,
  type RetrieveEvidenceResponse,
  VerifyQuoteRequest,
  type VerifyQuoteResponse,
} from "./generated/citemark/query/v1/evidence.js";
import { ListElementsRequest, StructuredQueryServiceClient } from "./generated/citemark/query/v1/structured_query.js";

const [address, question] = process.argv.slice(2) as [string, string];
const metadata = new Metadata();
metadata.set("authorization", `Bearer ${process.env.CITEMARK_TOKEN}`);
const evidence = new EvidenceServiceClient(address, credentials.createInsecure());
const structured = new StructuredQueryServiceClient(address, credentials.createInsecure());

type Done<T> = (error: ServiceError | null, value: T) => void;

function one<T>(start: (done: Done<T>) => ClientUnaryCall): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));
}

async function all<T>(stream: ClientReadableStream<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message as T);
  return messages;
}

const search = EvidenceServiceSearchRequest.fromPartial({ query: question });
const found = await one<EvidenceServiceSearchResponse>((done) => evidence.search(search, metadata, done));
const quoting = RetrieveEvidenceRequest.fromPartial({ question, budget: { max_quotes: 2 } });
const quotes = (await one<RetrieveEvidenceResponse>((done) => evidence.retrieveEvidence(quoting, metadata, done))).quotes;
const reading = ReadExcerptRequest.fromPartial({ passage_id: found.results[0].passage_id });
const excerpt = await one<ReadExcerptResponse>((done) => evidence.readExcerpt(reading, metadata, done));
const checking = VerifyQuoteRequest.fromPartial({ citation: quotes[0].citation, quote: quotes[0].quote });
const checked = await one<VerifyQuoteResponse>((done) => evidence.verifyQuote(checking, metadata, done));
const listing = ListElementsRequest.fromPartial({ page_size: 2 });
const pages = await all(structured.listElements(listing, metadata));
const parts: AnswerResponse[] = await all(evidence.answer(AnswerRequest.fromPartial({ question }), metadata));
const wrong = EvidenceServiceSearchRequest.fromPartial({ query: question, top_k: 99 });
const refused = await one<EvidenceServiceSearchResponse>((done) => evidence.search(wrong, metadata, done)).then(
  () => null,
  (error: ServiceError) => error,
);
const installed = JSON.parse(readFileSync("node_modules/@grpc/grpc-js/package.json", "utf-8"));

console.log(
  JSON.stringify({
    version: installed.version,
    previews: found.results.map((hit) => hit.preview),
    quotes: quotes.map((each) => each.quote),
    excerpt: excerpt.excerpt,
    holds: checked.holds,
    pages: pages.map((page) => page.elements.map((each) => each.element_name)),
    total: pages[0].total,
    parts: parts.map((each) => each.part?.$case),
    code: refused?.code,
    details: refused?.metadata.get("grpc-status-details-bin").toString(),
  }),
);
evidence.close();
structured.close();
